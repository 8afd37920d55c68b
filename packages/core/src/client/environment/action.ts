import type { JsonObject } from "../../tool/schema.ts";

/** Calls a tool. */
export interface CallToolAction {
  readonly type: "call_tool";
  readonly tool_name: string;
  readonly arguments: JsonObject;
}

/** Lists the tools. It is not a step of the episode. */
export interface ListToolsAction {
  readonly type: "list_tools";
}

/** Runs code in which the tools are functions. */
export interface CodeAction {
  readonly type: "code";
  readonly code: string;
  readonly language?: string;
}

/** An action as OpenEnv sends it. Any other object is an action of the environment's own type. */
export type EnvironmentAction = CallToolAction | ListToolsAction | CodeAction | JsonObject;

/** An action that calls a tool, for `step`. */
export function callTool(name: string, input: JsonObject = {}): CallToolAction {
  return { type: "call_tool", tool_name: name, arguments: input };
}

/** An action that lists the tools, for `step`. */
export function listTools(): ListToolsAction {
  return { type: "list_tools" };
}

/** An action of code in `language` (default: the first language of the environment). */
export function code(source: string, language?: string): CodeAction {
  return { type: "code", code: source, ...(language !== undefined && { language }) };
}

export function isCallTool(action: EnvironmentAction): action is CallToolAction {
  return action["type"] === "call_tool";
}

export function isListTools(action: EnvironmentAction): action is ListToolsAction {
  return action["type"] === "list_tools";
}

export function isCode(action: EnvironmentAction): action is CodeAction {
  return action["type"] === "code";
}
