import type { Params } from "../../../protocol/rpc.ts";
import type { AppToolResult } from "../bridge/content.ts";
import { isRecord } from "../../../is-record.ts";

/** These functions read host messages leniently: a wrong field is treated as missing. */
export function objectIn(params: Params, key: string): Params {
  const value = params[key];
  return isRecord(value) ? value : {};
}

export function stringIn(params: Params, key: string): string | undefined {
  const value = params[key];
  return typeof value === "string" ? value : undefined;
}

export function readHostToolResult<Structured>(result: Params): AppToolResult<Structured> {
  return (Array.isArray(result["content"]) ? result : { ...result, content: [] }) as AppToolResult<Structured>;
}
