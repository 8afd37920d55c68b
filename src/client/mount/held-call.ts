import type { LiveCall } from "../../call/live-call.ts";
import { BiplaneError } from "../../errors.ts";
import type { Question } from "../../tool/question.ts";
import type { ToolResult } from "../results.ts";

/**
 * A call on its way to another server. What that server asks is put to whoever waits for the call at the moment; where
 * the asking ends a request (the newer era), the call is held until the next attempt brings the answer.
 */
export class HeldCall {
  /** Whose call it is now; undefined while it is held. */
  caller: LiveCall | undefined;
  /** Whether it was given up because it took too long. */
  isLate = false;
  /** Whose it is, also while it is held. */
  readonly owner: string;
  readonly #controller = new AbortController();
  readonly #result: Promise<ToolResult>;
  readonly #open: Asked[] = [];
  #asked = 0;
  #wake: () => void = () => undefined;

  constructor({ principal, session }: LiveCall, send: (held: HeldCall) => Promise<ToolResult>) {
    this.owner = JSON.stringify([principal.kind, principal.id, session]);
    this.#result = send(this);
    this.#result.catch(() => undefined); // whoever follows the call is told
  }

  /** Settles when the other server is done with it, however it ended. */
  get isDone(): Promise<unknown> {
    return this.#result.catch(() => undefined);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  cancel(): void {
    this.#controller.abort();
  }

  /** The other server asks. Its questions are numbered, so that a call made again asks the same ones. */
  ask(question: Question): Promise<unknown> {
    if (this.caller && !this.caller.canAsk(question.kind))
      throw new BiplaneError("NOT_SUPPORTED", `the caller cannot be asked (${question.kind})`);
    const key = `ask-${++this.#asked}`;
    return new Promise((answer) => {
      this.#open.push({ key, question, answer });
      this.#wake();
    });
  }

  /** Sees the call through for `caller`, to its result or to a question that ends the request. */
  async follow(caller: LiveCall): Promise<ToolResult> {
    this.caller = caller;
    const cancel = () => {
      if (this.caller !== caller) return;
      this.isLate = caller.stopped?.code === "TIMEOUT";
      this.cancel();
    };
    caller.signal.addEventListener("abort", cancel, { once: true });
    try {
      for (;;) {
        const asked = new Promise<"asked">((resolve) => {
          this.#wake = () => resolve("asked");
        });
        const next = this.#open.length > 0 ? "asked" : await Promise.race([this.#result, asked]);
        if (next !== "asked") return next;
        await new Promise(setImmediate); // several at once are asked as one
        await this.#put(caller);
      }
    } finally {
      if (this.caller === caller) this.caller = undefined;
      caller.signal.removeEventListener("abort", cancel);
    }
  }

  async #put(caller: LiveCall): Promise<void> {
    const questions = Object.fromEntries(this.#open.map(({ key, question }) => [key, question]));
    const answers: Record<string, unknown> = await caller.askCaller(questions);
    for (const { key, answer } of this.#open.splice(0)) answer(answers[key]);
  }
}

interface Asked {
  readonly key: string;
  readonly question: Question;
  readonly answer: (answer: unknown) => void;
}

/** Calls that wait for their caller to come back with an answer. */
export class HeldCalls {
  readonly #held = new Map<string, { readonly call: HeldCall; readonly timer: NodeJS.Timeout }[]>();

  /** The call that this one goes on with, if it is an attempt that brings answers. */
  take(caller: LiveCall): HeldCall | undefined {
    if (Object.keys(caller.request.answers ?? {}).length === 0) return undefined;
    const key = keyOf(caller);
    const waiting = this.#held.get(key);
    const first = waiting?.shift();
    if (waiting?.length === 0) this.#held.delete(key);
    if (first) clearTimeout(first.timer);
    return first?.call;
  }

  keep(caller: LiveCall, call: HeldCall): void {
    const key = keyOf(caller);
    const waiting = this.#held.get(key) ?? [];
    const timer = setTimeout(() => {
      call.cancel();
      this.#held.delete(key);
    }, patienceMs);
    timer.unref();
    this.#held.set(key, [...waiting, { call, timer }]);
  }

  close(): void {
    for (const { call, timer } of [...this.#held.values()].flat()) {
      clearTimeout(timer);
      call.cancel();
    }
    this.#held.clear();
  }
}

const patienceMs = 5 * 60_000;

function keyOf({ principal, tool, request }: LiveCall): string {
  return JSON.stringify([principal.kind, principal.id, tool, request.input]);
}
