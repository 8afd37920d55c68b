import { BiplaneError } from "@biplane/core";
import { isRecord, nearest, subjectHash } from "@biplane/core/internal";
import type { Inventory } from "@biplane/core/internal";
import type { SessionCall } from "./format.ts";
import { normaliseArguments } from "./normalise-arguments.ts";

/** A call that an agent makes now. */
export interface CallNow {
  readonly tool: string;
  readonly arguments: unknown;
}

/** Finds recorded calls: with exactly these arguments, else with the same ones after normalisation. */
export class CallIndex {
  readonly #calls: readonly SessionCall[];
  readonly #schemas: ReadonlyMap<string, unknown>;
  readonly #exact = new Map<string, number[]>();
  readonly #normalised = new Map<string, number[]>();
  readonly #byTool = new Map<string, number[]>();

  constructor(calls: readonly SessionCall[], { tools }: Pick<Inventory, "tools">) {
    this.#calls = calls;
    this.#schemas = new Map(tools.map(({ name, inputSchema }) => [name, inputSchema]));
    for (const [at, call] of calls.entries()) {
      if (call.omittedBytes !== undefined && call.result === undefined) continue;
      addTo(this.#exact, exactKey(call), at);
      addTo(this.#normalised, this.#normalKey(call), at);
      addTo(this.#byTool, call.tool, at);
    }
  }

  /** The positions of the calls that match, in recorded order. Exact matches hide the others. */
  find(call: CallNow): readonly number[] {
    return this.#exact.get(exactKey(call)) ?? this.#normalised.get(this.#normalKey(call)) ?? [];
  }

  /** True if the call at a position matches. */
  isAt(at: number, call: CallNow): boolean {
    const recorded = this.#calls[at];
    return recorded !== undefined && this.#normalKey(recorded) === this.#normalKey(call);
  }

  /** The error for a call that was not recorded. It names the nearest call that was. */
  miss(call: CallNow): BiplaneError {
    const near = this.#nearest(call);
    const head = notRecorded(call).message;
    const message = near
      ? `${head} The nearest is ${showCall(near.call)}, call ${near.at + 1}${near.differences === "" ? "" : `: ${near.differences}`}.`
      : `${head} It has no call of ${call.tool} at all${this.#otherTool(call.tool)}.`;
    return new BiplaneError("EXECUTION_ERROR", message, { details: { miss: true } });
  }

  #nearest({ tool, arguments: input }: CallNow): { call: SessionCall; at: number; differences: string } | undefined {
    let best: { call: SessionCall; at: number; keys: readonly string[] } | undefined;
    for (const at of (this.#byTool.get(tool) ?? []).slice(0, maxCompared)) {
      const call = this.#calls[at] as SessionCall;
      const keys = differingKeys(call.arguments, input);
      if (!best || keys.length < best.keys.length) best = { call, at, keys };
    }
    if (!best) return undefined;
    const shown = best.keys.slice(0, maxDifferences).map((key) => key.slice(0, 60));
    return { ...best, differences: shown.length === 0 ? "" : `it differs in ${shown.join(", ")}` };
  }

  #otherTool(tool: string): string {
    const near = nearest(tool, Array.from(this.#byTool.keys()).slice(0, maxCompared));
    return near === undefined ? "" : `; the nearest tool is ${near}`;
  }

  #normalKey({ tool, arguments: input }: CallNow): string {
    return subjectHash([tool, normaliseArguments(input, this.#schemas.get(tool))]);
  }
}

/** An agent can cause any number of misses, so each looks at a part of a long recording. */
const maxCompared = 200;
const maxDifferences = 5;

function exactKey({ tool, arguments: input }: CallNow): string {
  return subjectHash([tool, input]);
}

function addTo(index: Map<string, number[]>, key: string, at: number): void {
  const list = index.get(key);
  if (list) list.push(at);
  else index.set(key, [at]);
}

/** The arguments in which two calls differ. */
function differingKeys(one: unknown, other: unknown): string[] {
  const [first, second] = [isRecord(one) ? one : {}, isRecord(other) ? other : {}];
  const keys = new Set([...Object.keys(first), ...Object.keys(second)]);
  return [...keys].filter((key) => JSON.stringify(first[key]) !== JSON.stringify(second[key]));
}

/** The same error for an agent that is rewarded for the recorded calls: it says nothing about them. */
export function notRecorded(call: CallNow): BiplaneError {
  return new BiplaneError("EXECUTION_ERROR", `The recording has no call ${showCall(call)}.`, {
    details: { miss: true },
  });
}

/** A call as text, for messages. */
export function showCall({ tool, arguments: input }: CallNow): string {
  const text = JSON.stringify(input) ?? "";
  return `${tool.slice(0, 128)}(${text.length > 300 ? `${text.slice(0, 300)}…` : text})`;
}
