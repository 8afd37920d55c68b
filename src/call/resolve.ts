import { BiplaneError } from "../errors.ts";
import type { Passage } from "./passage.ts";

/** Finds the tool by its name, for a caller whose proof still holds: a connection may outlive it. */
export function resolve(passage: Passage): void {
  const { call, body } = passage;
  const { expiresAt } = call.principal;
  if (expiresAt !== undefined && Date.now() >= expiresAt)
    throw new BiplaneError("UNAUTHORIZED", "The caller's credentials have expired");
  passage.tool = call.request.builtIn ?? body.find(call.tool);
  if (passage.tool) return;
  body.limits?.count(call, body.mode); // guessing at names is counted too
  throw new BiplaneError("TOOL_NOT_FOUND", `Unknown tool: ${call.tool}`);
}
