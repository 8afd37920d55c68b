import type { LiveCall } from "../call/live-call.ts";
import { BiplaneError } from "../errors.ts";
import { isForModel } from "../tool/app.ts";
import { toolIndex } from "../tool/search.ts";
import type { ToolIndex } from "../tool/search.ts";
import { tool } from "../tool/tool.ts";
import type { Tool } from "../tool/tool.ts";
import type { Catalog } from "./catalog.ts";

export interface DisclosureOptions {
  /** Tools that are always listed, by name. */
  readonly always?: readonly string[];
}

/**
 * For servers with more tools than a model can read: a few are listed, and three more with which the others are found,
 * looked at and called. Such a call is a call of the tool it names: limits, policies, approval and audit see that one.
 */
export class Disclosure {
  readonly #catalog: Catalog;
  readonly #always: ReadonlySet<string>;
  readonly #desk: ReadonlyMap<string, Tool>;
  #index: ToolIndex<Tool> | undefined;

  constructor(catalog: Catalog, { always = [] }: DisclosureOptions) {
    this.#catalog = catalog;
    this.#always = new Set(always);
    this.#desk = new Map([this.#search(), this.#schema(), callTool].map((each) => [each.name, each]));
    catalog.onChange((change) => {
      if (change === "tools") this.#index = undefined;
    });
  }

  find(name: string): Tool | undefined {
    return this.#desk.get(name);
  }

  *listed(): Iterable<Tool> {
    // A host must see which tools have pages, and which are for pages, before any is called.
    for (const each of this.#catalog.tools.values()) if (this.#always.has(each.name) || each.ui) yield each;
    yield* this.#desk.values();
  }

  /** Makes a call of `call_tool` the call that it asks for. */
  follow(call: LiveCall): void {
    if (call.tool !== callTool.name) return;
    const { name, arguments: input = {} } = asRecord(call.request.input);
    // What does not fit stays as it is, and is told so like any other wrong input.
    if (typeof name !== "string" || this.#desk.has(name) || !isRecord(input)) return;
    call.request = { ...call.request, tool: name, input };
  }

  #search(): Tool {
    return tool({
      name: "search_tools",
      description: `Finds tools by what they are for. Call one that you found with ${callTool.name}`,
      input: {
        type: "object",
        properties: {
          query: { type: "string", description: "What is to be done, in a few words" },
          limit: { type: "integer", minimum: 1, maximum: 50, default: 10 },
        },
        required: ["query"],
      },
      idempotent: true,
      annotations: { readOnlyHint: true },
      run: ({ query, limit = 10 }) => {
        this.#index ??= toolIndex(Array.from(this.#catalog.tools.values()).filter(isForModel));
        const found = this.#index.search(String(query), Number(limit));
        return { tools: found.map(({ name, description = "" }) => ({ name, description })) };
      },
    });
  }

  #schema(): Tool {
    return tool({
      name: "get_tool_schema",
      description: "Says what arguments a tool takes and what it answers",
      input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      idempotent: true,
      annotations: { readOnlyHint: true },
      run: (input) => {
        const found = this.#catalog.tools.get(String(input["name"]));
        if (!found || !isForModel(found))
          throw new BiplaneError("INVALID_INPUT", `There is no tool ${JSON.stringify(input["name"])}`);
        const { name, description, annotations } = found;
        return { name, description, inputSchema: found.input.json, outputSchema: found.output?.json, annotations };
      },
    });
  }
}

const callTool = tool({
  name: "call_tool",
  description: "Calls a tool that search_tools found, with the arguments that get_tool_schema says it takes",
  input: {
    type: "object",
    properties: { name: { type: "string" }, arguments: { type: "object", additionalProperties: true } },
    required: ["name"],
  },
  run: ({ name }) => {
    throw new BiplaneError("INVALID_INPUT", `${String(name)} cannot be called this way: call it by its own name`);
  },
});

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
