import type { Content } from "@biplane/core";
import type { EnvironmentKind, StepOutcome } from "@biplane/core/client";
import { isRecord } from "@biplane/core/internal";
import type { ContentPart } from "./message.ts";
import { contentForModel, imagesIn } from "./message-content.ts";
import { readPythonJson } from "./python/json.ts";
import type { TextStyle } from "./template.ts";

/** The result of a step as the agent gets it. */
export interface AgentResult {
  readonly observation: unknown;
  /** The content of the tool message. */
  readonly content: string | readonly ContentPart[];
}

export interface AgentResultOptions {
  readonly kind: EnvironmentKind;
  readonly sessionId: string;
  readonly style: TextStyle;
}

/** Converts the result of a step. Over MCP, observations have Eval Protocol's form. */
export function agentResult(step: StepOutcome, options: AgentResultOptions): AgentResult {
  const { observation, content, error } = step;
  const { kind, style } = options;
  if (kind === "eval-protocol" || kind === "mcp") return evalProtocolResult(content, options);
  if (error) return { observation, content: `Error: ${error.message}` };
  return { observation, content: contentForModel(observation, { style, images: imagesIn(content) }) };
}

/** Eval Protocol reads the text of a result: objects stay as they are, other values become an object. */
function evalProtocolResult(content: readonly Content[], { sessionId, style }: AgentResultOptions): AgentResult {
  const observation = read(content, sessionId, JSON.parse);
  const shown = style === "python" ? read(content, sessionId, readPythonJson) : observation;
  return {
    observation,
    content: contentForModel(withoutSession(shown, sessionId), { style, images: imagesIn(content) }),
  };
}

function read(content: readonly Content[], sessionId: string, parse: (text: string) => unknown): unknown {
  const wrap = (observation: unknown, more: object = {}) => ({ observation, session_id: sessionId, ...more });
  const [first] = content;
  if (!first) return wrap("no_response");
  const text = content.find((part) => part.type === "text")?.text;
  if (text === undefined) return wrap(first.type);
  if (text.trim() === "") return wrap("empty_response");
  try {
    const value = parse(text);
    return isRecord(value) ? value : wrap(value);
  } catch {
    return wrap(text, { error: "invalid_json_response" });
  }
}

/** Hides the session id from the model. */
function withoutSession(observation: unknown, sessionId: string): unknown {
  if (!isRecord(observation) || observation["session_id"] !== sessionId) return observation;
  const { session_id: _, ...rest } = observation;
  return rest;
}
