import { BiplaneError } from "@biplane/core";

/** The error of a call to a tool that the code cannot call. The name may be anything, of any length. */
export function unknownTool(name: unknown): BiplaneError {
  const shown = typeof name === "string" ? JSON.stringify(name.slice(0, 128)) : "(no name)";
  return new BiplaneError("TOOL_NOT_FOUND", `There is no tool ${shown}. List the tools with list_tools().`);
}

export function invalidArguments(tool: string, why: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `Invalid arguments for ${tool}: ${why}.`);
}
