import type { Params } from "../protocol/rpc.ts";
import type { ToolInfo } from "./results.ts";

/** Whether a method only reads, or comes to the same when it is done twice. Tools say it of themselves. */
export function isRepeatableMethod(method: string): boolean {
  return repeatable.has(method);
}

/** Whether a tool is marked so that calling it twice does no harm. What is not marked is taken to do some. */
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
