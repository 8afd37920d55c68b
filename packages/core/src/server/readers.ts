import { BiplaneError } from "../errors.ts";
import { embedded, reply } from "../tool/content.ts";
import { lazyInput } from "../tool/schema.ts";
import type { JsonObject } from "../tool/schema.ts";
import { tool } from "../tool/tool.ts";
import type { Tool } from "../tool/tool.ts";
import { toPromptResult } from "./prompt.ts";
import type { Prompt } from "./prompt.ts";
import { contentsOf } from "./resource.ts";
import type { Completer, Resource } from "./resource.ts";

/**
 * Resource reads, prompts and completions go through the call pipeline as built-in tools, so policies, hooks and limits
 * apply to them. The slash keeps their names distinct from all other tools.
 */
export const readResource = "resources/read";
export const getPrompt = "prompts/get";
export const completeArgument = "completion/complete";

export interface FoundResource {
  readonly resource: Resource;
  readonly parameters: Readonly<Record<string, string>>;
}

export function resourceReader(find: (uri: string) => FoundResource | undefined): Tool {
  return builtIn(readResource, uriInput, async (input, call) => {
    const { uri } = input as { uri: string };
    const found = find(uri);
    if (!found) throw new BiplaneError("INVALID_INPUT", `Resource not found: ${uri}`);
    const read = await found.resource.read(found.parameters, call, uri);
    return reply(contentsOf(read, uri, found.resource.mimeType).map(embedded));
  });
}

export function promptGetter(find: (name: string) => Prompt | undefined): Tool {
  return builtIn(getPrompt, promptInput, async (input, call) => {
    const { name, arguments: given = {} } = input as { name: string; arguments?: Record<string, string> };
    const prompt = find(name);
    if (!prompt) throw new BiplaneError("INVALID_INPUT", `Unknown prompt: ${name}`);
    for (const [argument, { required }] of Object.entries(prompt.arguments)) {
      if (required && !Object.hasOwn(given, argument)) {
        throw new BiplaneError("INVALID_INPUT", `Prompt ${name} requires the argument ${argument}.`);
      }
    }
    return reply([], { structured: toPromptResult(await prompt.get(given, call), prompt) });
  });
}

/** What to complete: an argument of a prompt or of a resource template. */
export type CompletionTarget = { readonly prompt: string } | { readonly template: string };

export function argumentCompleter(find: (target: CompletionTarget, argument: string) => Completer | undefined): Tool {
  return builtIn(completeArgument, completionInput, async (input) => {
    const { ref, argument, others = {} } = input as CompletionInput;
    const all = (await find(ref, argument.name)?.(argument.value, others)) ?? [];
    const completion = { values: all.slice(0, 100), total: all.length, hasMore: all.length > 100 };
    return reply([], { structured: { completion } });
  });
}

export interface CompletionInput {
  readonly ref: CompletionTarget;
  readonly argument: { readonly name: string; readonly value: string };
  /** Values of the other arguments so far. */
  readonly others?: Readonly<Record<string, string>>;
}

const uriInput = { type: "object", properties: { uri: { type: "string" } }, required: ["uri"] };
const promptInput = {
  type: "object",
  properties: {
    name: { type: "string" },
    arguments: { type: "object", additionalProperties: { type: "string" } },
  },
  required: ["name"],
};

const completionInput = {
  type: "object",
  properties: {
    ref: { type: "object", properties: { prompt: { type: "string" }, template: { type: "string" } } },
    argument: {
      type: "object",
      properties: { name: { type: "string" }, value: { type: "string" } },
      required: ["name", "value"],
    },
    others: { type: "object", additionalProperties: { type: "string" } },
  },
  required: ["ref", "argument"],
};

/** Most servers are never asked for these, so their schemas are compiled at first use. */
function builtIn(name: string, schema: JsonObject, run: Tool["run"]): Tool {
  const input = lazyInput(schema);
  return Object.freeze({ ...tool({ interactive: true, timeoutMs: 30_000, run }), name, input });
}
