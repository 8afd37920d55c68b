import { asBiplaneError, cutBetweenWords, isRecord, messageOf, toolIndex } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { ToolIndex } from "@biplane/core/internal";
import type { Tool } from "@biplane/core";
import type { ActionTurn } from "../action-turn.ts";
import type { CodeHost } from "../engine.ts";
import { searchTools } from "../search-tools.ts";
import { invalidArguments, unknownTool } from "../tool-error.ts";

export interface CallLimits {
  readonly calls: number;
  readonly answerBytes: number;
}

/** Handles the requests of one context's guest. Guest data is untrusted, so every field is checked. */
export class PythonCalls {
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #limits: CallLimits;
  #index: ToolIndex<Tool> | undefined;

  constructor(tools: readonly Tool[], limits: CallLimits) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#limits = limits;
  }

  /** Creates the handler for one action. It returns undefined once the action has used up its calls. */
  open(host: CodeHost, turn: ActionTurn): (text: string) => Promise<string | undefined> {
    let made = 0;
    return async (text) => {
      if (++made > this.#limits.calls) return undefined;
      try {
        const { tool, input, search, limit } = readRequest(text);
        if (search !== undefined) return this.#encode(this.#search(search, limit));
        if (typeof tool !== "string" || !this.#tools.has(tool)) throw unknownTool(tool);
        if (!isRecord(input)) throw invalidArguments(tool, "they are not an object");
        const value = host.call(tool, input);
        return this.#encode(value instanceof Promise ? await turn.whileAway(value) : value);
      } catch (error) {
        const { code, message } = asBiplaneError(error);
        return JSON.stringify({ error: cutBetweenWords(message, maxMessageLength), code });
      }
    };
  }

  #search(query: unknown, limit: unknown): unknown {
    this.#index ??= toolIndex(this.#tools.values());
    return searchTools(this.#index, query, limit);
  }

  #encode(value: unknown): string {
    const text = encode(value);
    if (Buffer.byteLength(text) <= this.#limits.answerBytes) return text;
    throw new BiplaneError(
      "EXECUTION_ERROR",
      `The result is larger than ${this.#limits.answerBytes} bytes, the limit for code. Request less data.`,
    );
  }
}

const maxMessageLength = 10_000;
const deepest = 200;

function readRequest(text: string): Record<string, unknown> {
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch {
    throw new BiplaneError("INVALID_INPUT", "The code sent a request that is not JSON.");
  }
  if (!isRecord(request)) {
    throw new BiplaneError("INVALID_INPUT", "The code sent a request that is not an object.");
  }
  if (isDeep(request))
    throw new BiplaneError("INVALID_INPUT", `The arguments are nested more than ${deepest} levels deep.`);
  return request;
}

function encode(value: unknown): string {
  try {
    if (isDeep(value)) throw new RangeError(`it is nested more than ${deepest} levels deep`);
    const replacer = (_key: string, part: unknown): unknown => (typeof part === "bigint" ? String(part) : part);
    return `{"value":${JSON.stringify(value ?? null, replacer) ?? "null"}}`;
  } catch (cause) {
    throw new BiplaneError("EXECUTION_ERROR", `The result cannot be encoded as JSON: ${messageOf(cause)}`, { cause });
  }
}

/** True for values nested too deep, which includes circular ones. */
export function isDeep(value: unknown, left = deepest): boolean {
  if (typeof value !== "object" || value === null) return false;
  return left === 0 || Object.values(value).some((inner) => isDeep(inner, left - 1));
}
