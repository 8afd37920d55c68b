import type { LiveCall } from "../../call/live-call.ts";
import { BiplaneError } from "../../errors.ts";
import type { Question } from "../../tool/question.ts";
import type { ToolResult } from "../results.ts";

/**
 * A call to a mounted server. The server's questions go to the current caller. In the modern era a question ends the
 * caller's request, so the call is held until a retry brings the answer.
 */
export class HeldCall {
  /** The current caller; undefined while the call is held. */
  caller: LiveCall | undefined;
  /** True if the call was cancelled by a timeout. */
  isLate = false;
  /** Identifies the caller, also while the call is held. */
  readonly owner: string;
  readonly #controller = new AbortController();
  readonly #result: Promise<ToolResult>;
  readonly #open: PendingQuestion[] = [];
  #asked = 0;
  #wake: () => void = () => undefined;

  constructor({ principal, session }: LiveCall, send: (held: HeldCall) => Promise<ToolResult>) {
    this.owner = JSON.stringify([principal.kind, principal.id, session]);
    this.#result = send(this);
    this.#result.catch(() => undefined); // follow() throws the error
  }

  /** Resolves when the mounted server has answered, with a result or an error. */
  get settled(): Promise<unknown> {
    return this.#result.catch(() => undefined);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  cancel(): void {
    this.#controller.abort();
  }

  /** Queues a question of the mounted server. Questions are numbered, so that a retry finds the same keys. */
  ask(question: Question): Promise<unknown> {
    if (this.caller && !this.caller.canAsk(question.kind))
      throw new BiplaneError("NOT_SUPPORTED", `The caller cannot answer questions of kind ${question.kind}.`);
    const key = `ask-${++this.#asked}`;
    return new Promise((answer) => {
      this.#open.push({ key, question, answer });
      this.#wake();
    });
  }

  /** Waits for the result on behalf of `caller`. Throws if a question ends the caller's request. */
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
        await new Promise(setImmediate); // collect questions that arrive together
        await this.#askCaller(caller);
      }
    } finally {
      if (this.caller === caller) this.caller = undefined;
      caller.signal.removeEventListener("abort", cancel);
    }
  }

  async #askCaller(caller: LiveCall): Promise<void> {
    const questions = Object.fromEntries(this.#open.map(({ key, question }) => [key, question]));
    const answers: Record<string, unknown> = await caller.askCaller(questions);
    for (const { key, answer } of this.#open.splice(0)) answer(answers[key]);
  }
}

interface PendingQuestion {
  readonly key: string;
  readonly question: Question;
  readonly answer: (answer: unknown) => void;
}

/** Held calls, waiting for a retry with answers. */
export class HeldCalls {
  readonly #held = new Map<string, { readonly call: HeldCall; readonly timer: NodeJS.Timeout }[]>();

  /** Removes and returns the held call that `caller` continues, if it brings answers. */
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
    }, maxHoldMs);
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

const maxHoldMs = 5 * 60_000;

function keyOf({ principal, tool, request }: LiveCall): string {
  return JSON.stringify([principal.kind, principal.id, tool, request.input]);
}
