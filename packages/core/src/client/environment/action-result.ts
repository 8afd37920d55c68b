import { tryParseJson } from "../../bounds/parse-json.ts";
import { BiplaneError } from "../../errors.ts";
import { isRecord } from "../../is-record.ts";
import { text } from "../../tool/content.ts";
import { readToolError } from "../results.ts";
import type { ToolResult } from "../results.ts";
import type { StepOutcome } from "./environment-client.ts";

/** What an action returned, without reward and status. */
export type ActionResult = Pick<StepOutcome, "observation" | "content" | "error" | "calls">;

/** The result of a call that failed, for the agent to read. */
export function failedAction(error: BiplaneError): ActionResult {
  const { code, message } = error;
  return { observation: { error: code, message }, content: [text(`Error: ${message}`)], error };
}

/** Reads a result of MCP: the JSON in its text, else its structured content, else the text. */
export function readActionResult(result: ToolResult): ActionResult {
  const { content, structuredContent } = result;
  const [first] = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const error = readToolError(result);
  if (error) return { ...failedAction(error), content };
  const observation = tryParseJson(first ?? "", { otherwise: structuredContent ?? first ?? null });
  const isCode = isRecord(observation) && "stdout" in observation && Array.isArray(observation["calls"]);
  return { observation, content, ...(isCode && { calls: observation["calls"] as readonly unknown[] }) };
}

export function needsReset(): BiplaneError {
  return new BiplaneError("INVALID_INPUT", "There is no episode. Call reset() first.");
}
