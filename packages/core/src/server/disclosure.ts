import type { LiveCall } from "../call/live-call.ts";
import { BiplaneError } from "../errors.ts";
import { isForModel } from "../tool/app.ts";
import { toolIndex } from "../tool/search.ts";
import type { ToolIndex } from "../tool/search.ts";
import { tool } from "../tool/tool.ts";
import type { Tool } from "../tool/tool.ts";
import type { Catalog } from "./catalog.ts";
import { isRecord } from "../is-record.ts";

export interface DisclosureOptions {
  /** Names of tools that are always listed. */
  readonly always?: readonly string[];
}

/**
 * Progressive disclosure, for servers with more tools than a model can read. Lists only a few tools, plus three tools to
 * search, inspect and call the rest. Limits, policies, approval and audit see the tool that `call_tool` names.
 */
export class Disclosure {
  readonly #catalog: Catalog;
  readonly #always: ReadonlySet<string>;
  readonly #metaTools: ReadonlyMap<string, Tool>;
  #index: ToolIndex<Tool> | undefined;

  constructor(catalog: Catalog, { always = [] }: DisclosureOptions) {
    this.#catalog = catalog;
    this.#always = new Set(always);
    this.#metaTools = new Map([this.#search(), this.#schema(), callTool()].map((each) => [each.name, each]));
    catalog.onChange((change) => {
      if (change === "tools") this.#index = undefined;
    });
  }

  find(name: string): Tool | undefined {
    return this.#metaTools.get(name);
  }

  *listed(): Iterable<Tool> {
    // Hosts need to know app tools before they are called.
    for (const each of this.#catalog.tools.values()) if (this.#always.has(each.name) || each.ui) yield each;
    yield* this.#metaTools.values();
  }

  /** Turns a call of `call_tool` into a call of the tool it names. */
  redirect(call: LiveCall): void {
    if (call.tool !== callToolName) return;
    const { input: given } = call.request;
    const { name, arguments: input = {} } = isRecord(given) ? given : {};
    // Malformed input is left alone and fails validation later.
    if (typeof name !== "string" || this.#metaTools.has(name) || !isRecord(input)) return;
    call.request = { ...call.request, tool: name, input };
  }

  #search(): Tool {
    return tool({
      name: "search_tools",
      description: `Finds tools by what they do. Call a tool you found with ${callToolName}.`,
      input: {
        type: "object",
        properties: {
          query: { type: "string", description: "What you want to do, in a few words" },
          limit: { type: "integer", minimum: 1, maximum: 50, default: 10 },
        },
        required: ["query"],
      },
      idempotent: true,
      annotations: { readOnlyHint: true },
      run: ({ query, limit = 10 }) => {
        this.#index ??= toolIndex(Array.from(this.#catalog.tools.values()).filter(isForModel));
        const found = this.#index.search(query, limit);
        return { tools: found.map(({ name, description = "" }) => ({ name, description })) };
      },
    });
  }

  #schema(): Tool {
    return tool({
      name: "get_tool_schema",
      description: "Returns a tool's description and its input and output schemas.",
      input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      idempotent: true,
      annotations: { readOnlyHint: true },
      run: (input) => {
        const found = this.#catalog.tools.get(input.name);
        if (!found || !isForModel(found))
          throw new BiplaneError(
            "INVALID_INPUT",
            `Unknown tool: ${input.name.slice(0, 128)}. Find tools with search_tools.`,
          );
        const { name, description, annotations } = found;
        return { name, description, inputSchema: found.input.json, outputSchema: found.output?.json, annotations };
      },
    });
  }
}

const callToolName = "call_tool";

function callTool(): Tool {
  return tool({
    name: callToolName,
    description: "Calls a tool found with search_tools. get_tool_schema returns the arguments it takes.",
    input: {
      type: "object",
      properties: { name: { type: "string" }, arguments: { type: "object", additionalProperties: true } },
      required: ["name"],
    },
    run: ({ name }) => {
      throw new BiplaneError("INVALID_INPUT", `${callToolName} cannot call ${name}. Call it directly by its name.`);
    },
  });
}
