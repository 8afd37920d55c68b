import { createHash } from "node:crypto";
import { BiplaneError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import { toolOf } from "./call-state.ts";
import type { CallState } from "./call-state.ts";
import { callerOf } from "./caller-of.ts";
import type { LiveCall } from "./live-call.ts";
import type { Outcome } from "./outcome.ts";
import { answerOf, callHash, keyOfAnother, recallAnswer } from "./stored-answer.ts";
import type { StoredAnswer } from "./stored-answer.ts";

/** Where the answers of a server are kept. */
export interface AnswerHost {
  readonly name: string;
  /** The id of this process. */
  readonly process: string;
  store(): Promise<Store>;
  /** Whether another process still runs. */
  isRunning(process: string): Promise<boolean>;
}

/**
 * Answers to calls that have an idempotency key, outside of episodes. A call is claimed before its tool runs, so that the
 * same call cannot run twice, here or in another process.
 */
export class KeptAnswers {
  readonly #host: AnswerHost;
  #sweptTo = "";
  #claims = 0;

  constructor(host: AnswerHost) {
    this.#host = host;
  }

  /** Answers a call that was made before. */
  async recall(state: CallState): Promise<void> {
    const record = (await (await this.#host.store()).get(this.#collection, idOf(state.call))) as Kept | undefined;
    if (record?.answer) answer(state, record.answer);
  }

  /** Claims a call before its tool runs. If it runs elsewhere, waits for that answer. */
  async claim(state: CallState): Promise<void> {
    const { call } = state;
    const store = await this.#host.store();
    const id = idOf(call);
    const mine: Kept = { claim: call.claim, process: this.#host.process, hash: callHash(call), at: Date.now() };
    for (const startedAt = Date.now(); !call.stopped;) {
      if (Date.now() - startedAt > longestWaitMs) throw stillRunning(call);
      const found = (await store.change(this.#collection, id, (now) =>
        isTaken(now as Kept | undefined, mine) ? now : { ...mine },
      )) as unknown as Kept;
      if (found.claim === mine.claim && !found.answer) {
        state.claim = mine.claim;
        if (call.stopped) return this.#release(state);
        return this.#sweep(store);
      }
      if (found.hash !== mine.hash) throw keyOfAnother();
      if (found.answer) return answer(state, found.answer);
      if (await this.#host.isRunning(found.process)) await new Promise((resolve) => setTimeout(resolve, askAgainMs));
      else if (canRunTwice(state))
        await store.change(this.#collection, id, (now) => (now?.["claim"] === found.claim ? { ...mine } : now));
      else throw interrupted(call);
    }
  }

  /** Keeps the answer of a claimed call. If its tool has not run, the call may be made again. */
  async keep({ call, claim }: CallState, outcome: Outcome): Promise<void> {
    const store = await this.#host.store();
    const kept = call.hasRun ? answerOf(call, outcome, maxAnswerLength) : undefined;
    if (!kept) return this.#release({ call, claim });
    await store.change(this.#collection, idOf(call), (now) =>
      now?.["claim"] === claim ? { ...now, answer: kept } : now,
    );
  }

  /** Lets the next try of a call run its tool. */
  async #release({ call, claim }: Pick<CallState, "call" | "claim">): Promise<void> {
    const store = await this.#host.store();
    await store.change(this.#collection, idOf(call), (now) =>
      now?.["claim"] === claim ? { ...now, isReleased: true } : now,
    );
  }

  get #collection(): string {
    return `answers of ${this.#host.name}`;
  }

  /** Now and then, deletes old ones among the next 20 records, continuing where the last sweep stopped. */
  async #sweep(store: Store): Promise<void> {
    if (this.#claims++ % sweepEvery !== 0) return;
    const page = await store.list(this.#collection, { after: this.#sweptTo, limit: 20 });
    this.#sweptTo = page.length < 20 ? "" : (page.at(-1)?.[0] ?? "");
    for (const [id, record] of page) {
      const { at, answer: kept, process } = record as unknown as Kept;
      if (at > Date.now() - keptMs || (!kept && (await this.#host.isRunning(process)))) continue;
      await store.delete(this.#collection, id);
    }
  }
}

interface Kept {
  /** Of the try that runs or ran the tool. */
  readonly claim: string;
  readonly process: string;
  readonly hash: string;
  readonly at: number;
  readonly answer?: StoredAnswer;
  readonly isReleased?: boolean;
}

/** A task that this process continues has its claim from the process that ended before the tool ran. */
function isTaken(now: Kept | undefined, mine: Kept): boolean {
  return now !== undefined && now.isReleased !== true && (now.claim !== mine.claim || now.answer !== undefined);
}

function answer(state: CallState, kept: StoredAnswer): void {
  const { outcome, step } = recallAnswer(state.call, kept);
  state.outcome = outcome;
  state.call.step = step;
  state.isRecalled = true;
}

function idOf({ principal, request }: LiveCall): string {
  return createHash("sha256")
    .update(JSON.stringify([callerOf(principal), request.idempotencyKey]))
    .digest("base64url");
}

function canRunTwice(state: CallState): boolean {
  const { idempotent, annotations } = toolOf(state);
  return idempotent || annotations.readOnlyHint === true;
}

function interrupted({ tool }: LiveCall): BiplaneError {
  const message = `The process that ran ${tool} has ended before it answered, so it is not known whether the call was made. Check that before you send it with another key.`;
  return new BiplaneError("CONFLICT", message);
}

function stillRunning({ tool }: LiveCall): BiplaneError {
  const message = `An earlier try of this call of ${tool} still runs. Send it again later, with the same key.`;
  return new BiplaneError("CONFLICT", message, { details: { retryAfterMs: 5000 } });
}

const askAgainMs = 200;
const longestWaitMs = 60_000;
const keptMs = 600_000;
/** So that a caller with many keys fills neither the memory nor the database. */
const maxAnswerLength = 64 * 1024;
/** Looking for old answers at every call would cost more than the call. */
const sweepEvery = 16;
