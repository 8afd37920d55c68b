import type { Tool } from "@biplane/core";
import { isRecord } from "@biplane/core/internal";

type Schema = Readonly<Record<string, unknown>>;

/** The schema of what a tool returns to code, without the wrapper. Undefined if the tool declares none. */
export function returnSchemaOf({ output }: Pick<Tool, "output">): Schema | undefined {
  return wrapped(output?.json)?.schema ?? output?.json;
}

/** The value that a tool returns to code. */
export function unwrap(value: unknown, { output }: Pick<Tool, "output">): unknown {
  const key = wrapped(output?.json)?.key;
  if (key === undefined || !isRecord(value) || !(key in value) || Object.keys(value).length > 1) return value;
  return value[key];
}

/**
 * MCP wants structured content to be an object, so servers wrap other values: text as `content`, any value as `result`.
 * A schema with only such a property is a wrapper, and code gets what is in it.
 */
function wrapped(schema: Schema | undefined): { key: string; schema: Schema } | undefined {
  if (schema?.["type"] !== "object" || !isRecord(schema["properties"])) return undefined;
  const [[key, inner] = [], ...others] = Object.entries(schema["properties"]);
  if (others.length > 0 || !isRecord(inner)) return undefined;
  const isWrapper = key === "result" || (key === "content" && inner["type"] === "string");
  return isWrapper ? { key, schema: inner } : undefined;
}
