import { chain } from "../chain.ts";
import { BiplaneError } from "../errors.ts";
import { isForApps, isForModel } from "../tool/app.ts";
import type { Tool } from "../tool/tool.ts";
import type { LiveCall } from "./live-call.ts";
import type { CallState } from "./call-state.ts";
import { echoedName } from "./record.ts";

/** Finds the tool. Also checks credential expiry, because a connection can outlive its token. */
export function resolve(state: CallState): void | Promise<void> {
  const { call, host } = state;
  const { expiresAt } = call.principal;
  if (expiresAt !== undefined && Date.now() >= expiresAt)
    throw new BiplaneError("UNAUTHORIZED", "The caller's credentials have expired. Authenticate again.");
  const tool = call.request.builtIn ?? call.request.unlisted ?? host.find(call.tool);
  if (tool?.ui && call.route === "app" && !isForApps(tool))
    throw new BiplaneError("POLICY_DENIED", `${call.tool} is visible to models only, so an app cannot call it.`);
  state.tool = tool && (!tool.ui || isReached(tool, call)) ? tool : undefined;
  if (state.tool) return;
  // Guessing tool names must hit the rate limit too.
  return chain(host.limits?.count(call, host.mode), () => {
    // Short, because redaction of what a caller sent tells it which of its guesses are secrets.
    throw new BiplaneError("TOOL_NOT_FOUND", `Unknown tool: ${echoedName(call.redact(call.tool))}`);
  });
}

/**
 * Whether this caller can see an app-only tool. MCP does not say whether a model or a page calls, so any MCP client that
 * can show apps is trusted. Code and trainers never see app-only tools.
 */
function isReached(tool: Tool, { route, request }: LiveCall): boolean {
  if (isForModel(tool) || route === "app" || route === "direct" || route === "people") return true;
  return route === "mcp" && request.showsApps === true;
}
