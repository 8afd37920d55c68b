import { messageOf } from "../errors.ts";
import { isObject } from "../protocol/rpc.ts";
import type { Acted } from "./door/door.ts";
import type { Message, ToolCall } from "./message.ts";
import type { TraceCall } from "./trace.ts";

/** The arguments of a call, or what is wrong with them. */
export function readInput({ function: { arguments: text } }: ToolCall): Readonly<Record<string, unknown>> | string {
  if (text.trim() === "") return {};
  try {
    const input: unknown = JSON.parse(text);
    return isObject(input) ? input : "the arguments must be a JSON object";
  } catch (error) {
    return `the arguments are not valid JSON: ${messageOf(error)}`;
  }
}

/** What a model reads that sent something that cannot be called. */
export function refusedCall({ function: { name } }: ToolCall, why: string): Acted {
  const observation = { error: "invalid_tool_call", message: `${name} was not called: ${why}` };
  return { observation, content: JSON.stringify(observation), isError: true };
}

/** Every call is answered, so that the transcript stays one that models can read. */
export function callNotMade({ id, function: { name } }: ToolCall): Message {
  const content = JSON.stringify({ error: "not_executed", message: `${name} was not called: the episode was over` });
  return { role: "tool", tool_call_id: id, content };
}

/** A call as the trace keeps it. */
export function tracedCall({ id, function: { name } }: ToolCall, input: unknown, acted: Acted): TraceCall {
  const { isError, inner, approval } = acted;
  return { id, name, input, isError, ...(inner && { inner }), ...(approval !== undefined && { approval }) };
}
