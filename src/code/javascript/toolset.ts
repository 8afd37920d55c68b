import { createHash } from "node:crypto";
import { toolIndex } from "../../tool/search.ts";
import type { ToolIndex } from "../../tool/search.ts";
import type { Tool } from "../../tool/tool.ts";
import { aliasOf, parametersOf } from "../parameters.ts";

/** The tools of a context as plain data, so that a worker can have them too. */
export interface Toolset {
  readonly tools: readonly DescribedTool[];
  /** The same for the same functions: a snapshot fits contexts with the same one. */
  readonly fingerprint: string;
}

export interface DescribedTool {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly alias: string;
  /** Arguments in the order in which they may be given without their names. */
  readonly names: readonly string[];
  /** The type of the first argument, to tell it from an object that holds all arguments. */
  readonly first: unknown;
  readonly input: { readonly json: unknown };
  readonly output: { readonly json: unknown } | undefined;
}

export function describeTools(tools: readonly Tool[]): Toolset {
  const described = tools.map((tool): DescribedTool => {
    const parameters = parametersOf(tool);
    return {
      name: tool.name,
      title: tool.title,
      description: tool.description,
      alias: aliasOf(tool.name),
      names: parameters.map(({ name }) => name),
      first: parameters[0]?.schema["type"],
      input: { json: tool.input.json },
      output: tool.output && { json: tool.output.json },
    };
  });
  const shape = JSON.stringify(functionsOf(described));
  return { tools: described, fingerprint: createHash("sha256").update(shape).digest("hex") };
}

/** What the functions in the guest are made of. */
export function functionsOf(tools: readonly DescribedTool[]): readonly object[] {
  return tools.map(({ name, alias, names, first }) => ({ name, alias, names, first }));
}

/** Answers what code asks about the tools themselves: `list`, `search` and `schema`. */
export class ToolGuide {
  readonly #tools: readonly DescribedTool[];
  #index: ToolIndex<DescribedTool> | undefined;

  constructor({ tools }: Toolset) {
    this.#tools = tools;
  }

  answer(question: string, about: string): unknown {
    switch (question) {
      case "list":
        return this.#tools.map(({ name }) => name);
      case "search":
        return this.#search(JSON.parse(about) as [string, unknown]);
      default:
        return this.#schema(about);
    }
  }

  #search([query, limit]: [string, unknown]): unknown {
    this.#index ??= toolIndex(this.#tools);
    const most = typeof limit === "number" && limit >= 1 ? Math.min(limit, 100) : 10;
    return this.#index.search(query, most).map(({ name, description }) => ({ name, description }));
  }

  #schema(name: string): unknown {
    const found = this.#tools.find((tool) => tool.name === name || tool.alias === name);
    if (!found) return null;
    const { description, input, output } = found;
    return { name: found.name, description, input_schema: input.json, ...(output && { output_schema: output.json }) };
  }
}
