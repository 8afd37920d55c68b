import type { RequestLog } from "@biplane/core/internal";
import type { Logger } from "./logs.ts";

/** Logs MCP requests, for `serve({ requestLog })`. Returns undefined if debug lines are not written. */
export function logRequests(logger: Logger): RequestLog | undefined {
  if (!logger.isOn("debug")) return undefined;
  const log = logger.named("mcp");
  return {
    received: ({ id, method, tool }) => log.debug("received request", { method, id, tool }),
    answered: ({ id, method, tool, status, durationMs, errorCode: error, entries }) => {
      const duration = `${Math.round(durationMs)}ms`;
      if (status === "cancelled") return log.debug("request cancelled", { id, duration });
      if (tool !== undefined && (status === "complete" || status === "failed")) {
        return log.debug("tool execution completed", { id, duration, success: status === "complete", error });
      }
      const list = entries === undefined ? {} : { [listName(method)]: entries };
      const result = status === "input_required" || status === "task" ? status : undefined;
      log.debug("sending response", { id, ...list, error, result });
    },
  };
}

/** `tools/list` is a list of `tools`. */
function listName(method: string): string {
  return method.split("/").at(-2) ?? "entries";
}
