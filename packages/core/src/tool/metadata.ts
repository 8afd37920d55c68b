import type { JsonObject } from "./schema.ts";
import type { Tool } from "./tool.ts";

/** A tool in the capability discovery response. */
export interface ToolMetadata {
  readonly name: string;
  readonly description: string | null;
  readonly input_schema: JsonObject;
  readonly output_schema: JsonObject | null;
  readonly timeout_ms: number;
  readonly idempotent: boolean;
}

export function metadataOf(tool: Tool): ToolMetadata {
  return Object.freeze({
    name: tool.name,
    description: tool.description ?? null,
    input_schema: tool.input.json,
    output_schema: tool.output?.json ?? null,
    timeout_ms: tool.timeoutMs,
    idempotent: tool.idempotent,
  });
}
