import { BiplaneError } from "../errors.ts";
import { errorMeta, readErrorMeta } from "../protocol/error-meta.ts";
import type { Params } from "../protocol/rpc.ts";
import { text } from "../tool/content.ts";
import type { Content } from "../tool/content.ts";
import type { ToolAnnotations } from "../tool/tool.ts";
import { isRecord } from "../is-record.ts";

/** A tool as listed by the server, including fields that are not declared here. */
export interface ToolInfo extends Params {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Params;
  readonly outputSchema?: Params;
  readonly annotations?: ToolAnnotations;
  readonly _meta?: Params;
}

/** The result of a tool call. `isError` marks a failure of the tool itself, which the model should read. */
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

/** A skill as the server lists it. Nothing in it is verified. */
export interface SkillInfo extends Params {
  /** The URI of its `SKILL.md`. */
  readonly uri: string;
  readonly frontmatter?: unknown;
  readonly resources?: unknown;
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

/** Reads a list of objects from a result. Each object must have the string fields in `texts`. */
export function listIn<Entry>(result: Params, key: string, texts: readonly string[]): Entry[] {
  const list = result[key];
  const fits = (entry: unknown) => isRecord(entry) && texts.every((text) => typeof entry[text] === "string");
  if (Array.isArray(list) && list.every(fits)) return list as Entry[];
  const wanted = texts.length > 0 ? ` of objects with ${texts.join(" and ")}` : "";
  throw new BiplaneError("EXECUTION_ERROR", `The server's result has no ${key}, a list${wanted}.`, {
    details: { result },
  });
}

/** Validates a tool result. */
export function readToolResult(result: Params): ToolResult {
  if (Array.isArray(result["content"])) return result as unknown as ToolResult;
  // The oldest servers omit empty content.
  if (result["content"] === undefined) return { ...result, content: [] };
  throw new BiplaneError("EXECUTION_ERROR", "The server's tool result has no content list.", { details: { result } });
}

/** The result of a call that failed with `error`, as a Biplane server sends it. */
export function failedResult(error: BiplaneError): ToolResult {
  return { content: [text(`Error: ${error.message}`)], isError: true, _meta: errorMeta(error) };
}

/**
 * The error of a failed result, undefined for any other. From a Biplane server it has the server's code and details,
 * from another server `EXECUTION_ERROR`.
 */
export function readToolError({ isError, content, _meta: meta }: ToolResult): BiplaneError | undefined {
  if (isError !== true) return undefined;
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const message = texts.join("\n").replace(/^Error: /, "") || "The tool failed without a message.";
  const { code, details } = readErrorMeta(meta) ?? { code: "EXECUTION_ERROR", details: {} };
  return new BiplaneError(code, message, { details });
}

/** A tool without an input schema accepts any object. */
export function toolInfo(tool: ToolInfo): ToolInfo {
  return isRecord(tool.inputSchema) ? tool : { ...tool, inputSchema: { type: "object" } };
}

/** Reads all pages of a list, up to 1000. */
export async function allPages<Entry>(
  request: (params: Params) => Promise<Params>,
  list: { readonly key: string; readonly texts: readonly string[] },
): Promise<Entry[]> {
  const entries: Entry[] = [];
  const seen = new Set<unknown>();
  let cursor: unknown;
  do {
    const result = await request(cursor === undefined ? {} : { cursor });
    for (const entry of listIn<Entry>(result, list.key, list.texts)) entries.push(entry);
    cursor = result["nextCursor"] ?? undefined;
    if (seen.has(cursor) || seen.size > maxPages) {
      throw new BiplaneError(
        "EXECUTION_ERROR",
        `The server's list of ${list.key} does not end: a cursor repeats, or there are over ${maxPages} pages.`,
      );
    }
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return entries;
}

const maxPages = 1000;
