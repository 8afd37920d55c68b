import type { LiveCall } from "../../call/live-call.ts";
import { BiplaneError } from "../../errors.ts";
import { foreignFailure } from "../../server/foreign.ts";
import { foreignUi } from "../../tool/app.ts";
import { reply } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { compileForeignSchema } from "../../tool/json-schema/foreign.ts";
import type { CompiledSchema, JsonObject } from "../../tool/schema.ts";
import type { Icon } from "../../tool/icon.ts";
import type { Tool } from "../../tool/tool.ts";
import { readToolError } from "../results.ts";
import type { ToolInfo, ToolResult } from "../results.ts";

export interface RemoteToolOptions {
  readonly timeoutMs: number;
  /** Checks arguments against the tool's schema before policies run. */
  readonly checkInput: boolean;
  readonly call: (input: JsonObject, caller: LiveCall) => Promise<ToolResult>;
}

/** Converts another server's tool. Results and unknown fields are passed on unchanged. */
export function remoteTool(info: ToolInfo, options: RemoteToolOptions): Tool {
  const { name, title, description, inputSchema, outputSchema, annotations = {}, icons, _meta: meta, ...more } = info;
  const tool: Tool = {
    name,
    title: stringOrUndefined(title),
    description: stringOrUndefined(description),
    input: options.checkInput ? checked(inputSchema) : unchecked(inputSchema),
    output: outputSchema && unchecked(outputSchema),
    timeoutMs: options.timeoutMs,
    idempotent: annotations.idempotentHint === true || annotations.readOnlyHint === true,
    annotations,
    interactive: true,
    task: "optional", // if the remote server makes it one
    icons: Array.isArray(icons) ? (icons as Icon[]) : undefined,
    meta,
    ui: foreignUi(meta),
    more,
    run: async (input, call) => replyOf(await options.call(input as JsonObject, call as LiveCall)),
  };
  return Object.freeze(tool);
}

/** Drops values of the wrong type, so that one server's mistake does not break listing and search. */
export function stringOrUndefined(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function checked(json: JsonObject): CompiledSchema {
  const check = compileForeignSchema(json);
  return {
    json,
    check: (value) => {
      const fault = check(value);
      return fault ? { ok: false, fault } : { ok: true, value };
    },
  };
}

function unchecked(json: JsonObject): CompiledSchema {
  return { json, check: (value) => ({ ok: true, value }) };
}

/** Converts a result. An `isError` result becomes an error that carries the original. */
function replyOf(result: ToolResult): Reply {
  const error = readToolError(result);
  if (error) {
    const details = { ...error.details, [foreignFailure]: withoutType(result) };
    throw new BiplaneError(error.code, error.message, { details });
  }
  const { content, structuredContent, isError, _meta: meta, resultType: _, ...more } = result;
  return reply(content, {
    ...(structuredContent !== undefined && { structured: structuredContent }),
    ...(meta && { meta: withoutServer(meta) }),
    ...(isError === false ? { more: { isError, ...more } } : Object.keys(more).length > 0 && { more }),
  });
}

function withoutType(whole: ToolResult): JsonObject {
  const { resultType: _, ...result } = whole;
  return result._meta ? { ...result, _meta: withoutServer(result._meta) } : result;
}

/** Drops the remote server's `serverInfo`: callers see ours. */
function withoutServer(meta: JsonObject): JsonObject {
  const { "io.modelcontextprotocol/serverInfo": _, ...rest } = meta;
  return rest;
}
