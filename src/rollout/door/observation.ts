import type { ToolResult } from "../../client/results.ts";
import { isObject } from "../../protocol/rpc.ts";
import { readPythonJson } from "../python/json.ts";
import type { TextStyle } from "../template.ts";
import { contentForModel, picturesIn } from "./content.ts";
import type { Acted } from "./door.ts";

/**
 * The observation in a tool's result, as Eval Protocol reads it: an object as it is, everything else wrapped in one that
 * says what it was. Pictures go to the model beside it.
 */
export function readObservation(result: ToolResult, options: { sessionId: string; style: TextStyle }): Acted {
  const { sessionId, style } = options;
  const observation = read(result, sessionId, JSON.parse);
  const shown = style === "python" ? read(result, sessionId, readPythonJson) : observation;
  const inner = isObject(observation) && "stdout" in observation ? observation["calls"] : undefined;
  const approval = isObject(result.structuredContent) ? result.structuredContent["approval"] : undefined;
  return {
    observation,
    content: contentForModel(withoutSession(shown, sessionId), { style, pictures: picturesIn(result.content) }),
    isError: result.isError === true,
    ...(Array.isArray(inner) && { inner }),
    ...(approval !== undefined && { approval }),
  };
}

function read({ content }: ToolResult, sessionId: string, parse: (text: string) => unknown): unknown {
  const wrap = (observation: unknown, more: object = {}) => ({ observation, session_id: sessionId, ...more });
  const [first] = content;
  if (!first) return wrap("no_response");
  const text = content.find((part) => part.type === "text")?.text;
  if (text === undefined) return wrap(first.type);
  if (text.trim() === "") return wrap("empty_response");
  try {
    const value = parse(text);
    return isObject(value) ? value : wrap(value);
  } catch {
    return wrap(text, { error: "invalid_json_response" });
  }
}

/** The session's id is nobody's business but ours. */
function withoutSession(observation: unknown, sessionId: string): unknown {
  if (!isObject(observation) || observation["session_id"] !== sessionId) return observation;
  const { session_id: _, ...rest } = observation;
  return rest;
}
