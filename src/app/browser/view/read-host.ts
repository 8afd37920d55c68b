import type { Params } from "../../../protocol/rpc.ts";
import type { ToolResult } from "../bridge/content.ts";
import { isRecord } from "../bridge/rpc.ts";

/** What a host sends is read kindly: a page shows what it can of it, and has no use for a refusal. */
export function recordIn(params: Params, key: string): Params {
  const value = params[key];
  return isRecord(value) ? value : {};
}

export function textIn(params: Params, key: string): string | undefined {
  const value = params[key];
  return typeof value === "string" ? value : undefined;
}

export function toolResult<Structured>(result: Params): ToolResult<Structured> {
  return (Array.isArray(result["content"]) ? result : { ...result, content: [] }) as ToolResult<Structured>;
}
