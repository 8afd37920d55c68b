import type { LiveCall } from "../../call/live-call.ts";
import { BiplaneError } from "../../errors.ts";
import { foreignFailure } from "../../server/foreign.ts";
import { foreignUi } from "../../tool/app.ts";
import { reply } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { compileOutput } from "../../tool/schema.ts";
import type { CompiledSchema, JsonObject } from "../../tool/schema.ts";
import type { Icon, Tool } from "../../tool/tool.ts";
import type { ToolInfo, ToolResult } from "../results.ts";

export interface RemoteToolOptions {
  readonly timeoutMs: number;
  /** Whether arguments are held against the tool's schema here too, before any rule looks at them. */
  readonly checkInput: boolean;
  readonly call: (input: JsonObject, caller: LiveCall) => Promise<ToolResult>;
}

/** A tool of another server as one of ours. Its results pass as they are; whatever else its server says of it is kept. */
export function remoteTool(info: ToolInfo, options: RemoteToolOptions): Tool {
  const { name, title, description, inputSchema, outputSchema, annotations = {}, icons, _meta: meta, ...more } = info;
  const ours: Tool = {
    name,
    title: textOrNothing(title),
    description: textOrNothing(description),
    input: options.checkInput ? checked(inputSchema) : unchecked(inputSchema),
    output: outputSchema && unchecked(outputSchema),
    timeoutMs: options.timeoutMs,
    idempotent: annotations.idempotentHint === true || annotations.readOnlyHint === true,
    annotations,
    interactive: true,
    task: undefined,
    icons: Array.isArray(icons) ? (icons as Icon[]) : undefined,
    meta,
    ui: foreignUi(meta),
    more,
    run: async (input, call) => replyOf(await options.call(input as JsonObject, call as LiveCall)),
  };
  return Object.freeze(ours);
}

/** Who lists or searches tools takes these for text, and one server's slip must not be everyone's. */
export function textOrNothing(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The types that rules rely on; not the patterns, which another server could write to keep us busy. */
function checked(json: JsonObject): CompiledSchema {
  try {
    return { json, check: compileOutput(withoutPatterns(json) as JsonObject).check };
  } catch {
    return unchecked(json); // its own server will know what it means
  }
}

function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (typeof schema !== "object" || schema === null) return schema;
  if ("patternProperties" in schema) throw new TypeError("keys by pattern cannot be told without the pattern");
  // An argument may have one of these names: then its value is a schema, not a text.
  const isPattern = ([key, value]: [string, unknown]) =>
    (key === "pattern" || key === "format") && typeof value === "string";
  const kept = Object.entries(schema).filter((entry) => !isPattern(entry));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutPatterns(value)]));
}

function unchecked(json: JsonObject): CompiledSchema {
  return { json, check: (value) => ({ ok: true, value }) };
}

/** Its answer as ours. One that says it failed is a failure here too, and goes out as it came. */
function replyOf(result: ToolResult): Reply {
  const { content, structuredContent, isError, _meta: meta, resultType: _, ...more } = result;
  if (isError === true) {
    const said = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const message = said.join("\n").replace(/^Error: /, "") || "the tool failed and did not say why";
    throw new BiplaneError("EXECUTION_ERROR", message, { details: { [foreignFailure]: withoutType(result) } });
  }
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

/** Who answered is us, to whoever called us. */
function withoutServer(meta: JsonObject): JsonObject {
  const { "io.modelcontextprotocol/serverInfo": _, ...rest } = meta;
  return rest;
}
