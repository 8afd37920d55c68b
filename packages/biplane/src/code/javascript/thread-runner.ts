import type { CodeHost } from "../engine.ts";
import type { FinishedAction, ContextState, ActionRunner } from "./context.ts";
import type { Guest, RunState } from "./guest.ts";
import { Output } from "../output.ts";
import { decodeResult } from "./guest-result.ts";
import { replyTo } from "./reply.ts";
import { SpareGuests } from "./spare-guests.ts";

/** Runs actions in this thread. Each context keeps its machine. */
export class ThreadRunner implements ActionRunner {
  readonly #guests = new Map<ContextState, Guest>();
  readonly #spare = new SpareGuests();

  async run(state: ContextState, code: string, host: CodeHost): Promise<FinishedAction> {
    const { bindings, limits, image } = state;
    const guest = this.#guests.get(state) ?? (await this.#spare.take(bindings.base, limits, image));
    this.#guests.set(state, guest);
    const outcome = await perform(guest, code, { state, host });
    const result = decodeResult(outcome.result);
    if (!outcome.isBroken) return { result, image: guest.image() };
    this.#guests.delete(state);
    guest.dispose();
    return { result, image: undefined };
  }

  forget(state: ContextState): void {
    const guest = this.#guests.get(state);
    this.#guests.delete(state);
    if (guest) this.#spare.give(guest);
  }

  async close(): Promise<void> {
    for (const guest of this.#guests.values()) guest.dispose();
    this.#guests.clear();
  }
}

function perform(
  guest: Guest,
  code: string,
  { state, host }: { state: ContextState; host: CodeHost },
): Promise<Exclude<RunState, "waiting">> {
  return new Promise((resolve) => {
    const { limits, bindings } = state;
    const { signal } = host;
    const output = new Output(limits.outputBytes);
    const progress = { limits, output, calls: 0, open: new Map<number, number>(), cpuMs: 0, reply: undefined };
    let isOver = false;
    const conclude = (outcome: RunState) => {
      if (outcome === "waiting" || isOver) return;
      isOver = true;
      signal.removeEventListener("abort", onAbort);
      resolve(outcome);
    };
    const onAbort = () => conclude(guest.stopped());
    signal.addEventListener("abort", onAbort);
    const started = guest.start(code, progress, {
      guide: bindings.guide,
      isStopped: () => signal.aborted,
      call: (id, tool, input) => {
        const reply = replyTo({ tool, input }, host, bindings.guide);
        if (typeof reply === "string") return reply;
        void reply.then((text) => {
          if (!isOver) conclude(guest.settle(id, text));
        });
        return undefined;
      },
    });
    started.then(conclude, () => conclude(guest.stopped()));
  });
}
