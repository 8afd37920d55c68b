import type { Params } from "../protocol/rpc.ts";
import type { ToolInfo } from "./results.ts";

/** True for read-only and idempotent methods. For tools, see `isRepeatableTool`. */
export function isRepeatableMethod(method: string): boolean {
  return repeatable.has(method);
}

/** True for tools marked read-only or idempotent. Unmarked tools are not repeatable. */
export function isRepeatableTool(tool: ToolInfo | undefined): boolean {
  const hints: Params = { ...tool?.annotations };
  return hints["readOnlyHint"] === true || hints["idempotentHint"] === true;
}

const repeatable: ReadonlySet<string> = new Set([
  "ping",
  "server/discover",
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "tasks/get",
  "tasks/cancel",
]);
