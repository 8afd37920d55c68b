import { BiplaneError } from "../errors.ts";
import { isForApps, isForModel } from "../tool/app.ts";
import type { Tool } from "../tool/tool.ts";
import type { LiveCall } from "./live-call.ts";
import type { Passage } from "./passage.ts";

/** Finds the tool by its name, for a caller whose proof still holds: a connection may outlive it. */
export function resolve(passage: Passage): void {
  const { call, body } = passage;
  const { expiresAt } = call.principal;
  if (expiresAt !== undefined && Date.now() >= expiresAt)
    throw new BiplaneError("UNAUTHORIZED", "The caller's credentials have expired");
  const tool = call.request.builtIn ?? body.find(call.tool);
  if (tool?.ui && call.route === "app" && !isForApps(tool))
    throw new BiplaneError("POLICY_DENIED", `${call.tool} is for models only, not for apps`);
  passage.tool = tool && (!tool.ui || isReached(tool, call)) ? tool : undefined;
  if (passage.tool) return;
  body.limits?.count(call, body.mode); // guessing at names is counted too
  throw new BiplaneError("TOOL_NOT_FOUND", `Unknown tool: ${call.tool}`);
}

/**
 * Whether a caller is to know of a tool that is only for apps. Over MCP nothing says whether a model or a page calls, so
 * a client that can show pages is believed; one that cannot has none, nor have code and trainers.
 */
function isReached(tool: Tool, { route, request }: LiveCall): boolean {
  if (isForModel(tool) || route === "app" || route === "direct" || route === "people") return true;
  return route === "mcp" && request.showsApps === true;
}
