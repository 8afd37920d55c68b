import { BiplaneError } from "../errors.ts";
import type { Passage } from "./passage.ts";

/** Finds the tool by its name. */
export function resolve(passage: Passage): void {
  const { call, body } = passage;
  passage.tool = call.request.builtIn ?? body.find(call.tool);
  if (!passage.tool) throw new BiplaneError("TOOL_NOT_FOUND", `Unknown tool: ${call.tool}`);
}
