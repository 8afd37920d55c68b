import type { StepResult } from "../../call/live-call.ts";
import type { Done, Outcome } from "../../call/outcome.ts";
import type { Episode } from "../../environment/episode.ts";
import type { Failure } from "../../environment/failure.ts";
import { BiplaneError } from "../../errors.ts";
import type { ErrorCode } from "../../errors.ts";
import { isReply } from "../../tool/content.ts";
import { isRecord } from "../../is-record.ts";

/** OpenEnv's response to a reset or a step. */
export interface Payload {
  readonly observation: Record<string, unknown>;
  readonly reward: number | null;
  readonly done: boolean;
  readonly metadata: PayloadMetadata;
}

interface PayloadMetadata extends Readonly<Record<string, unknown>> {
  readonly failure?: Failure;
}

/**
 * Reward, done and metadata stand beside the observation and never in it: trainers show the observation to the model. A
 * client's own name for the episode replaces the episode id.
 */
export function payload(observation: unknown, episode: Episode, step?: StepResult): Payload {
  const seen = isRecord(observation) ? observation : { observation };
  const { parts, terminated, truncated, stepCount } = step ?? noStep(episode);
  const reward = step ? step.reward : 0;
  const done = step ? step.terminated || step.truncated : episode.isOver;
  const metadata: { [key: string]: unknown; failure?: Failure } = {
    episode_id: episodeName(episode),
    step_count: stepCount,
  };
  if (truncated) metadata["truncated"] = true;
  // What is done and not truncated has terminated. An episode can do both in one step.
  if (truncated && terminated) metadata["terminated"] = true;
  if (parts) metadata["reward_parts"] = parts;
  if (episode.failure) metadata.failure = episode.failure;
  return { observation: seen, reward, done, metadata };
}

/** What an answer says about an episode in which no step was made. */
export function noStep({ terminated, truncated, stepCount }: Episode): StepResult {
  return { reward: null, parts: undefined, terminated, truncated, stepCount };
}

/** The failure that leaves the episode without a reward. */
export function maskOf({ metadata: { failure } }: Payload): Failure | undefined {
  return failure?.masked ? failure : undefined;
}

export function episodeName(episode: Episode): string {
  return episode.label ?? episode.id;
}

/** A tool result with the fields of OpenEnv and of MCP. */
export function openEnvToolResult({ value, content }: Done): Record<string, unknown> {
  const data = isReply(value) ? (value.structured ?? textOf(content)) : (value ?? null);
  const structured = isRecord(data) ? data : { result: data };
  const meta = isReply(value) ? value.meta : undefined;
  const isError = isReply(value) && value.more?.["isError"] === true;
  return { content, structured_content: structured, meta: meta ?? {}, data, is_error: isError };
}

/** The error of a call that is not done. */
export function openEnvError(outcome: Outcome, tool: string): BiplaneError {
  if (outcome.status === "failed") return outcome.error;
  return new BiplaneError("NOT_SUPPORTED", `${tool} asks questions, which OpenEnv does not support`);
}

/** A failed call with OpenEnv's error type. */
export function toolError(error: BiplaneError): { error_type: string; message: string } {
  return { error_type: errorTypes[error.code] ?? "execution_error", message: error.message };
}

const errorTypes: { readonly [Code in ErrorCode]?: string } = {
  TOOL_NOT_FOUND: "tool_not_found",
  INVALID_INPUT: "invalid_args",
  TIMEOUT: "timeout",
};

function textOf(content: Done["content"]): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
