import { asBiplaneError, BiplaneError, messageOf } from "../../errors.ts";
import { toolIndex, type ToolIndex } from "../../tool/search.ts";
import type { Tool } from "../../tool/tool.ts";
import type { CodeHost } from "../engine.ts";

export interface CallLimits {
  readonly calls: number;
  readonly answerBytes: number;
}

/** Answers what the guest of one context says. All of it is the guest's word: nothing in it is taken as it stands. */
export class CallDesk {
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #limits: CallLimits;
  #index: ToolIndex<Tool> | undefined;

  constructor(tools: readonly Tool[], limits: CallLimits) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#limits = limits;
  }

  /** The desk for one action. It has no answer once the action has made all the calls it may. */
  open(host: CodeHost): (text: string) => Promise<string | undefined> {
    let made = 0;
    return async (text) => {
      try {
        const { tool, input, search, limit } = readQuestion(text);
        if (typeof search === "string") return this.#encode(this.#search(search, limit));
        if (typeof tool !== "string" || !this.#tools.has(tool)) {
          const name = typeof tool === "string" ? JSON.stringify(tool.slice(0, 128)) : "without a name";
          throw new BiplaneError("TOOL_NOT_FOUND", `There is no tool ${name}`);
        }
        if (++made > this.#limits.calls) return undefined;
        return this.#encode(await host.call(tool, input));
      } catch (error) {
        const { code, message } = asBiplaneError(error);
        return JSON.stringify({ error: message.slice(0, longestMessage), code });
      }
    };
  }

  #search(query: string, limit: unknown): unknown {
    this.#index ??= toolIndex(this.#tools.values());
    const most = typeof limit === "number" && limit >= 1 ? Math.min(limit, 100) : 10;
    return this.#index.search(query, most).map(({ name, description }) => ({ name, description }));
  }

  #encode(value: unknown): string {
    const text = encode(value);
    if (Buffer.byteLength(text) <= this.#limits.answerBytes) return text;
    throw new BiplaneError(
      "EXECUTION_ERROR",
      `The result is larger than the ${this.#limits.answerBytes} bytes that code can take in: ask for less`,
    );
  }
}

const longestMessage = 10_000;
const deepest = 200;

function readQuestion(text: string): Record<string, unknown> {
  let question: unknown;
  try {
    question = JSON.parse(text);
  } catch {
    throw new BiplaneError("INVALID_INPUT", "What the code said on its line is not JSON");
  }
  if (typeof question !== "object" || question === null || Array.isArray(question)) {
    throw new BiplaneError("INVALID_INPUT", "What the code said on its line is no call");
  }
  if (isDeep(question)) throw new BiplaneError("INVALID_INPUT", `The arguments are nested more than ${deepest} deep`);
  return question as Record<string, unknown>;
}

function encode(value: unknown): string {
  try {
    if (isDeep(value)) throw new RangeError(`it is nested more than ${deepest} deep`);
    const replacer = (_key: string, part: unknown): unknown => (typeof part === "bigint" ? String(part) : part);
    return `{"value":${JSON.stringify(value ?? null, replacer) ?? "null"}}`;
  } catch (cause) {
    throw new BiplaneError("EXECUTION_ERROR", `The result has no JSON form: ${messageOf(cause)}`, { cause });
  }
}

/** A circle is as deep as can be. */
export function isDeep(value: unknown, left = deepest): boolean {
  if (typeof value !== "object" || value === null) return false;
  return left === 0 || Object.values(value).some((inner) => isDeep(inner, left - 1));
}
