import type { Environment } from "../../environment/environment.ts";
import { ActionFault, refuseExtra } from "./action-fault.ts";
import { isRecord } from "../../is-record.ts";

/** An action as received. */
type Action = Record<string, unknown>;

interface ToolCall {
  readonly tool: string;
  readonly input: unknown;
}

/**
 * Reads an action that names its tool: `{"tool_name": …, "arguments": {…}}` as OpenEnv's clients send it, or the flat
 * `{"tool": …, <argument>: …}` of RFC 003. Undefined for a typed action.
 */
export function readToolAction(environment: Environment, action: Action): ToolCall | undefined {
  if (isFlat(environment, action)) return readFlat(environment, action);
  const isNamed = action["type"] === "call_tool" || (typeof action["tool_name"] === "string" && !("type" in action));
  return isNamed || environment.rules.options.action === undefined ? readNamed(action) : undefined;
}

function readNamed(action: Action): ToolCall {
  const { type = "call_tool", tool_name: tool, arguments: given, parameters, metadata: _, ...unknown } = action;
  if (type !== "call_tool")
    throw new ActionFault({
      type: "literal_error",
      loc: ["type"],
      msg: "Input should be 'call_tool' or 'list_tools'",
      input: type,
    });
  if (typeof tool !== "string")
    throw new ActionFault({ type: "missing", loc: ["tool_name"], msg: "Field required", input: action });
  refuseExtra(unknown);
  return { tool, input: given ?? parameters ?? {} };
}

/** In an environment with a typed action, `tool` may be one of its fields. */
function isFlat({ rules, server }: Environment, { type = "call_tool", tool, tool_name: named }: Action): boolean {
  if (typeof tool !== "string" || named !== undefined || type !== "call_tool") return false;
  const { action } = rules.options;
  return action === undefined || (server.find(tool) !== undefined && !("tool" in argumentsOf(rules.tools[action])));
}

function readFlat({ server }: Environment, action: Action): ToolCall {
  const { type: _, tool, metadata: __, ...input } = action;
  const name = tool as string;
  const known = argumentsOf(server.find(name));
  const unclear = ["type", "tool", "metadata"].find((key) => key in action && key in known);
  if (unclear !== undefined)
    throw new ActionFault({
      type: "value_error",
      loc: [unclear],
      msg: `${name} has an argument ${unclear}. Send {"tool_name": …, "arguments": {…}} instead`,
      input: action[unclear],
    });
  const [only, ...more] = Object.keys(input);
  const isNested = (only === "arguments" || only === "parameters") && more.length === 0 && !(only in known);
  return { tool: name, input: isNested ? input[only] : input };
}

function argumentsOf(tool: ReturnType<Environment["server"]["find"]>): Record<string, unknown> {
  const properties = tool?.input.json["properties"];
  return isRecord(properties) ? properties : {};
}
