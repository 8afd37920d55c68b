import type { Inventory } from "@biplane/core/internal";
import { CallIndex } from "./call-index.ts";
import type { CallNow } from "./call-index.ts";
import type { RecordedAnswer, SessionCall } from "./format.ts";
import { isToolName } from "./recorded-items.ts";
import type { SessionRecording } from "./read-sessions.ts";

/** Where an episode stands in its recording: plain data. */
export interface PathState {
  readonly session: string;
  /** The positions of the recorded calls that the agent has made. */
  readonly made: readonly number[];
  /** The calls of the agent so far. */
  readonly steps: number;
  readonly divergence: PathDivergence | null;
  /** How many calls were not the recorded ones. */
  readonly divergences: number;
  /** How many calls the live server answered. */
  readonly live: number;
  readonly answer: string | null;
}

/** The first call that was not the recorded one. */
export interface PathDivergence {
  /** The agent's call, from 0. */
  readonly step: number;
  /** Null if the recording has no further call. */
  readonly expected: CallNow | null;
  readonly actual: CallNow;
}

/** `strict`: calls in their recorded order. `any`: the same calls in any order. */
export type PathOrder = "strict" | "any";

/** The calls of one session as a path that an agent can follow or leave. */
export class RecordedPath {
  readonly session: SessionRecording;
  readonly calls: readonly SessionCall[];
  readonly #order: PathOrder;
  readonly #index: CallIndex;

  constructor(session: SessionRecording, { order, lists }: { order: PathOrder; lists: Pick<Inventory, "tools"> }) {
    this.session = session;
    // Nobody can make a call again whose arguments were left out.
    this.calls = session.calls.filter(({ tool, omittedBytes }) => isToolName(tool) && omittedBytes === undefined);
    this.#order = order;
    this.#index = new CallIndex(this.calls, lists);
  }

  get start(): PathState {
    return {
      session: this.session.id,
      made: [],
      steps: 0,
      divergence: null,
      divergences: 0,
      live: 0,
      answer: null,
    };
  }

  /**
   * The state after a call, and its recorded answer. A call that leaves the path is answered as it was anywhere in the
   * session; undefined if it is nowhere.
   */
  follow(state: PathState, call: CallNow): { state: PathState; answer: RecordedAnswer | undefined } {
    const { made, steps } = state;
    const expected = this.expected(state);
    const at = this.#order === "any" ? this.#unmade(state, call) : expected;
    if (at !== undefined && this.#index.isAt(at, call))
      return { state: { ...state, made: [...made, at], steps: steps + 1 }, answer: this.calls[at] };
    const divergence = { step: steps, expected: this.#at(expected), actual: shortened(call) };
    const known = this.#index.find(call);
    const before = new Set(made);
    const latest = known.findLast((each) => before.has(each)) ?? known[0];
    return {
      state: {
        ...state,
        steps: steps + 1,
        divergence: state.divergence ?? divergence,
        divergences: state.divergences + 1,
      },
      answer: latest === undefined ? undefined : this.calls[latest],
    };
  }

  /** The position of the next recorded call. Undefined at the end of the path. */
  expected({ made }: PathState): number | undefined {
    const before = new Set(made);
    const next = this.calls.findIndex((_, at) => !before.has(at));
    return next === -1 ? undefined : next;
  }

  #unmade({ made }: PathState, call: CallNow): number | undefined {
    const before = new Set(made);
    return this.#index.find(call).find((at) => !before.has(at));
  }

  #at(position: number | undefined): CallNow | null {
    const call = position === undefined ? undefined : this.calls[position];
    return call ? { tool: call.tool, arguments: call.arguments } : null;
  }
}

/** The state is copied at every step, and an agent can send long arguments. */
function shortened(call: CallNow): CallNow {
  const text = JSON.stringify(call.arguments) ?? "";
  return text.length <= maxLength ? call : { tool: call.tool, arguments: `${text.slice(0, maxLength)}…` };
}

const maxLength = 2000;
