import { BiplaneError, reply } from "@biplane/core";
import type { Content, Reply } from "@biplane/core";
import type { ToolResult } from "@biplane/core/client";
import { failedResult, foreignFailure, isRecord, isReply } from "@biplane/core/internal";
import type { Measured } from "@biplane/core";
import type { RecordedAnswer } from "./format.ts";

/** The outcome of a call as a recording keeps it. Undefined if it says nothing about the server. */
export function recordedAnswerOf({ outcome, tool }: Measured): RecordedAnswer | undefined {
  if (outcome.status === "suspended") return undefined; // the call is repeated with the answers
  if (outcome.status === "failed") return failureOf(outcome.error);
  const { value, content } = outcome;
  const { structured, meta, more } = isReply(value) ? value : { structured: value };
  const isShown = structured !== undefined && (typeof structured !== "string" || tool?.output !== undefined);
  return {
    result: { content, ...(isShown && { structuredContent: structured }), ...more, ...(meta && { _meta: meta }) },
  };
}

function failureOf({ code, message, details }: BiplaneError): RecordedAnswer | undefined {
  if (passing.has(code)) return undefined;
  const foreign = details?.[foreignFailure];
  if (isRecord(foreign)) return { result: foreign };
  return { error: { code, message, ...(details && { details }) } };
}

/** Ends of a call that depend on the moment, not on the call. */
const passing: ReadonlySet<string> = new Set(["CANCELLED", "RATE_LIMITED", "CAPACITY", "APPROVAL_PENDING"]);

/** The recorded result, for a tool that passes it on. Throws the error that was recorded instead of one. */
export function recordedResult({ result, error, omittedBytes }: RecordedAnswer): ToolResult {
  if (result) return { ...result, content: Array.isArray(result["content"]) ? (result["content"] as Content[]) : [] };
  if (error) throw new BiplaneError(error.code, error.message, error.details && { details: { ...error.details } });
  throw new BiplaneError(
    "EXECUTION_ERROR",
    `The recording does not hold this answer: it took ${omittedBytes ?? 0} bytes, and was too long to be recorded.`,
  );
}

/** The recorded answer as a step of an episode. A failure is a step too, so it is a result with `isError`. */
export function stepReply(answer: RecordedAnswer): Reply {
  const { content, structuredContent, _meta: meta, ...more } = shown(answer);
  return reply(content, {
    ...(structuredContent !== undefined && { structured: structuredContent }),
    ...(meta && { meta }),
    ...(Object.keys(more).length > 0 && { more }),
  });
}

function shown(answer: RecordedAnswer): ToolResult {
  try {
    return recordedResult(answer);
  } catch (error) {
    if (error instanceof BiplaneError) return failedResult(error);
    throw error;
  }
}
