import type { AuditOutcome } from "../call/audit.ts";
import type { LiveCall, StepResult } from "../call/live-call.ts";
import type { Measured, Meter } from "../call/meter.ts";
import type { Outcome } from "../call/outcome.ts";
import type { Trail } from "../call/trail.ts";
import type { AgentContext, Principal, Route } from "../tool/call.ts";
import { matcherOf } from "./call-filter.ts";
import type { CallFilter } from "./call-filter.ts";
import { boundedJson, boundedText } from "./call-json.ts";
import { keepResult, sizeOf } from "./call-result.ts";
import type { KeptResult } from "./call-result.ts";
import { CallFigures } from "./figures.ts";

export interface CallLogOptions {
  /** How many calls are kept: 5,000, fewer where they are large. */
  readonly most?: number;
  /** How much of an input, and of a result, is kept: 16,000 characters. */
  readonly mostCharacters?: number;
  /** How much all of them together may take: about 32 million characters. */
  readonly mostTogether?: number;
  readonly now?: () => number;
}

/** A call as it is kept: without secrets, and short. */
export interface KeptCall {
  readonly sequence: number;
  readonly id: string;
  readonly at: number;
  readonly server: string;
  readonly tool: string;
  readonly route: Route;
  readonly agent: Pick<AgentContext, "agentId" | "model" | "requestId">;
  readonly principal: Pick<Principal, "kind" | "id">;
  readonly session: string | undefined;
  readonly episode: string | undefined;
  readonly outcome: AuditOutcome;
  readonly message: string | null;
  readonly durationMs: number;
  /** As JSON. */
  readonly input: string;
  readonly result: KeptResult | null;
  readonly trail: Trail | undefined;
  readonly step: StepResult | undefined;
}

/** Told of a call and, whole but without secrets, of what it came to. */
export type CallListener = (call: KeptCall, outcome: Outcome) => void;

/** The last calls of everything that is served, in memory: for people who look, not for the record. */
export class CallLog {
  readonly figures: CallFigures;
  readonly #most: number;
  readonly #mostCharacters: number;
  readonly #mostTogether: number;
  readonly #now: () => number;
  /** Other processes' calls, and those before a restart, have another. */
  readonly #tag = crypto.randomUUID().slice(0, 8);
  /** A ring: a call lies at its number, modulo the length. */
  readonly #calls: (KeptCall | undefined)[] = [];
  readonly #listeners = new Set<CallListener>();
  /** The oldest that is kept, and the one that comes next. */
  #first = 0;
  #next = 0;
  #characters = 0;

  constructor(options: CallLogOptions = {}) {
    const { most = 5000, mostCharacters = 16_000, mostTogether = 32_000_000, now = Date.now } = options;
    this.#most = most;
    this.#mostCharacters = mostCharacters;
    this.#mostTogether = mostTogether;
    this.#now = now;
    this.figures = new CallFigures(now);
  }

  /** What a server is measured with. */
  meterOf(server: string): Meter {
    return {
      wantsTrail: true,
      around: (_, perform) => {
        this.figures.begin();
        const outcome = perform();
        if (outcome instanceof Promise) return outcome.finally(() => this.figures.leave());
        this.figures.leave();
        return outcome;
      },
      end: (measured) => this.#keep(server, measured),
    };
  }

  find(id: string): KeptCall | undefined {
    const sequence = this.sequenceOf(id);
    return sequence === undefined ? undefined : this.#at(sequence);
  }

  /** The number of a call, from its id; undefined where it is none of ours. */
  sequenceOf(id: string): number | undefined {
    const [tag, number = ""] = id.split("-");
    return tag === this.#tag && /^[0-9a-z]{1,10}$/.test(number) ? Number.parseInt(number, 36) : undefined;
  }

  /** The newest first, and whether there are more. */
  list(
    filter: CallFilter,
    { before = this.#next, limit }: { before?: number; limit: number },
  ): { calls: KeptCall[]; isMore: boolean } {
    const fits = matcherOf(filter);
    const calls: KeptCall[] = [];
    for (let at = Math.min(before, this.#next) - 1; at >= this.#first; at--) {
      const call = this.#at(at);
      if (!call || !fits(call)) continue;
      if (calls.length === limit) return { calls, isMore: true };
      calls.push(call);
    }
    return { calls, isMore: false };
  }

  /** Where the log stands now. */
  get position(): number {
    return this.#next;
  }

  /** Where the log stood so long ago. */
  positionAt(agoMs: number): number {
    const since = this.#now() - agoMs;
    let at = this.#next;
    while ((this.#at(at - 1)?.at ?? -Infinity) > since) at--;
    return at;
  }

  /** The newest of those since a position, and how many more there were; those that are no longer kept count too. */
  since(position: number, fits: (call: KeptCall) => boolean, limit: number): { calls: KeptCall[]; skipped: number } {
    const calls: KeptCall[] = [];
    let skipped = Math.max(0, this.#first - position);
    for (let at = this.#next - 1; at >= Math.max(position, this.#first); at--) {
      const call = this.#at(at);
      if (!call || !fits(call)) continue;
      if (calls.length < limit) calls.push(call);
      else skipped++;
    }
    return { calls, skipped };
  }

  /** Tells `listener` of every call until the returned function is called. */
  onCall(listener: CallListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #at(sequence: number): KeptCall | undefined {
    return sequence >= this.#first && sequence < this.#next ? this.#calls[sequence % this.#most] : undefined;
  }

  #keep(server: string, measured: Measured): void {
    const { outcome } = measured;
    this.figures.end(outcome.status === "failed");
    const sequence = this.#next++;
    const call = this.#describe(server, measured, sequence);
    if (this.#next - this.#first > this.#most) this.#forget();
    this.#calls[sequence % this.#most] = call;
    this.#characters += weightOf(call);
    while (this.#characters > this.#mostTogether && this.#first < sequence) this.#forget();
    for (const listener of this.#listeners) listener(call, outcome);
  }

  #forget(): void {
    const at = this.#first++ % this.#most;
    const oldest = this.#calls[at];
    if (oldest) this.#characters -= weightOf(oldest);
    this.#calls[at] = undefined;
  }

  #describe(server: string, { call, tool, outcome, durationMs, trail }: Measured, sequence: number): KeptCall {
    const { redactor } = call;
    const clean = redactor && !redactor.isEmpty ? (text: string) => redactor.text(text) : (text: string) => text;
    const { agentId, model, requestId } = call.agent;
    const isFailed = outcome.status === "failed";
    trail?.redact((reason) => boundedText(clean(reason), 1000));
    const isFlood = isFailed && outcome.error.code === "RATE_LIMITED";
    return {
      sequence,
      id: `${this.#tag}-${sequence.toString(36)}`,
      at: this.#now(),
      server,
      // What does not exist is a name the caller made up, and so is what it says of itself.
      tool: tool ? call.tool : boundedText(clean(call.tool), 128),
      route: call.route,
      agent: {
        agentId: boundedText(clean(agentId), 256),
        model: model === undefined ? undefined : boundedText(clean(model), 256),
        requestId: boundedText(clean(requestId), 256),
      },
      principal: { kind: call.principal.kind, id: boundedText(clean(call.principal.id), 256) },
      session: call.session,
      episode: call.episode,
      outcome: isFailed ? outcome.error.code : outcome.status,
      message: isFailed ? boundedText(outcome.error.message, 1000) : null,
      durationMs,
      input: isFlood ? "null" : inputJson(call, this.#mostCharacters),
      result: outcome.status === "done" ? keepResult(outcome, this.#mostCharacters) : null,
      trail,
      step: call.step,
    };
  }
}

/** Roughly what a call takes beside its input and result. */
const overhead = 1500;

function weightOf({ input, result, message }: KeptCall): number {
  return overhead + input.length + (result ? sizeOf(result) : 0) + (message?.length ?? 0);
}

/** What a call was given; where it cannot be searched for secrets, nothing. */
function inputJson({ redactor, request: { input } }: LiveCall, most: number): string {
  try {
    return boundedJson(redactor ? redactor.value(input) : input, most);
  } catch {
    return '"…"';
  }
}
