import { BiplaneError } from "../errors.ts";
import { isObject } from "../protocol/rpc.ts";
import type { Params } from "../protocol/rpc.ts";
import type { Content } from "../tool/content.ts";
import type { ToolAnnotations } from "../tool/tool.ts";

/** A tool as a server lists it. Whatever else it said of it is there too. */
export interface ToolInfo extends Params {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Params;
  readonly outputSchema?: Params;
  readonly annotations?: ToolAnnotations;
  readonly _meta?: Params;
}

/** What a tool call came to. `isError` is the tool's own failure, for a model to read. */
export interface ToolResult extends Params {
  readonly content: readonly Content[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Params;
}

export interface ResourceInfo extends Params {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
}

export interface ResourceTemplateInfo extends Params {
  readonly uriTemplate: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
}

export interface ReadResult extends Params {
  readonly contents: readonly ResourceContents[];
}

export interface ResourceContents extends Params {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
}

export interface PromptInfo extends Params {
  readonly name: string;
  readonly description?: string;
  readonly arguments?: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[];
}

export interface PromptResult extends Params {
  readonly description?: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: Content }[];
}

export interface CompletionResult extends Params {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** The part of a result that must be a list of objects, each with these texts in it. */
export function listIn<Entry>(result: Params, key: string, texts: readonly string[]): Entry[] {
  const list = result[key];
  const fits = (entry: unknown) => isObject(entry) && texts.every((text) => typeof entry[text] === "string");
  if (Array.isArray(list) && list.every(fits)) return list as Entry[];
  const wanted = texts.length > 0 ? ` of objects with ${texts.join(" and ")}` : "";
  throw new BiplaneError("EXECUTION_ERROR", `the server's result has no ${key}, a list${wanted}`, {
    details: { result },
  });
}

/** A tool result, or an error that says what the server sent instead. */
export function toolResult(result: Params): ToolResult {
  if (Array.isArray(result["content"])) return result as unknown as ToolResult;
  // The oldest servers leave it out where there is nothing to show.
  if (result["content"] === undefined) return { ...result, content: [] };
  throw new BiplaneError("EXECUTION_ERROR", "the server's tool result has no list of content", { details: { result } });
}

/** A tool whose schema is missing takes anything. */
export function toolInfo(tool: ToolInfo): ToolInfo {
  return isObject(tool.inputSchema) ? tool : { ...tool, inputSchema: { type: "object" } };
}
