import { createHash } from "node:crypto";
import { toolIndex } from "@biplane/core/internal";
import type { ToolIndex } from "@biplane/core/internal";
import type { Tool } from "@biplane/core";
import { aliasOf, parametersOf } from "../parameters.ts";
import { returnSchemaOf } from "../returns.ts";
import { searchTools } from "../search-tools.ts";

/** The tools of a context as plain data, which can be sent to a worker. */
export interface Toolset {
  readonly tools: readonly DescribedTool[];
  /** A hash of the functions. A snapshot fits contexts with the same fingerprint. */
  readonly fingerprint: string;
}

export function describeToolset(tools: readonly Tool[]): Toolset {
  const described = tools.map(describeTool);
  const shape = JSON.stringify(functionsOf(described));
  return { tools: described, fingerprint: createHash("sha256").update(shape).digest("hex") };
}

type DescribedTool = Readonly<ReturnType<typeof describeTool>>;

function describeTool(tool: Tool) {
  const parameters = parametersOf(tool);
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    alias: aliasOf(tool.name),
    /** Parameter names in positional order. */
    names: parameters.map(({ name }) => name),
    /** The type of the first parameter, to tell an object value from an object of named arguments. */
    first: parameters[0]?.schema["type"],
    input: { json: tool.input.json },
    output: returnSchemaOf(tool),
  };
}

/** The data from which the prelude creates the functions. */
export function functionsOf(tools: readonly DescribedTool[]): readonly object[] {
  return tools.map(({ name, alias, names, first }) => ({ name, alias, names, first }));
}

/** Answers `list_tools`, `search_tools` and `get_tool_schema`. */
export class ToolGuide {
  readonly #tools: readonly DescribedTool[];
  readonly #names: ReadonlySet<string>;
  #index: ToolIndex<DescribedTool> | undefined;

  constructor({ tools }: Toolset) {
    this.#tools = tools;
    this.#names = new Set(tools.map(({ name }) => name));
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  answer(question: string, about: string): unknown {
    switch (question) {
      case "list":
        return this.#tools.map(({ name }) => name);
      case "search":
        return this.#search(JSON.parse(about));
      default:
        return this.#schema(about);
    }
  }

  #search(about: unknown): unknown {
    const [query, limit]: readonly unknown[] = Array.isArray(about) ? about : [];
    this.#index ??= toolIndex(this.#tools);
    return searchTools(this.#index, query, limit);
  }

  #schema(name: string): unknown {
    const found = this.#tools.find((tool) => tool.name === name || tool.alias === name);
    if (!found) return null;
    const { description, input, output } = found;
    return { name: found.name, description, input_schema: input.json, ...(output && { output_schema: output }) };
  }
}
