import type { StepResult } from "../../call/live-call.ts";
import type { Episode } from "../../environment/episode.ts";
import type { BiplaneError, ErrorCode } from "../../errors.ts";
import type { ServeOptions } from "../../server/listening.ts";
import type { Content } from "../../tool/content.ts";
import { redactedJson } from "../redacted-json.ts";
import type { CallInSession } from "../session-call.ts";
import { errorEnd, resultEnd } from "./events.ts";
import type { OrsEnd } from "./events.ts";

export type OrsRewards = NonNullable<ServeOptions["orsRewards"]>;

/**
 * Ends a call as ORS does. What the agent did wrong is a result with `ok: false`, and the session lives. A masked
 * failure is an `error` event, which ends the session: it never becomes a reward.
 */
export function endOfCall({ call, outcome, episode }: CallInSession, rewards: OrsRewards): OrsEnd {
  const { failure } = episode;
  const redactor = call.redactor;
  const fail = (message: string) => errorEnd(redactor?.text(message) ?? message);
  if (outcome.status === "suspended") return fail(`${call.tool} asks questions, which ORS does not support.`);
  if (outcome.status === "failed") {
    const reason = failure?.masked ? undefined : reasons[outcome.error.code];
    return reason === undefined
      ? fail(outcome.error.message)
      : resultEnd(JSON.stringify({ ok: false, error: explain(outcome.error, call.tool), reason }));
  }
  if (failure?.masked) return fail(failure.message);
  const output = { blocks: blocksOf(outcome.content), ...verdictOf(call.step, episode, rewards) };
  return resultEnd(redactedJson({ ok: true, output }, redactor));
}

/** Text and images as ORS has them. */
export function blocksOf(content: readonly Content[]): object[] {
  return content.map((part) => {
    if (part.type === "text") return textBlock(part.text);
    if (part.type === "image" || part.type === "audio")
      return { data: part.data, mimeType: part.mimeType, detail: null, type: part.type };
    if (part.type === "resource_link") return textBlock(part.uri);
    return textBlock("text" in part.resource ? part.resource.text : part.resource.uri);
  });
}

export function textBlock(text: string): object {
  return { text, detail: null, type: "text" };
}

/** A step without a reward has null, which is not 0. */
function verdictOf(step: StepResult | undefined, episode: Episode, rewards: OrsRewards): object {
  if (!step) return { metadata: null, reward: null, finished: episode.isOver };
  const { reward, parts, truncated, terminated, stepCount } = step;
  const metadata = { step_count: stepCount, truncated, step_reward: reward, ...(parts && { reward_parts: parts }) };
  return {
    metadata,
    reward: reward === null || rewards === "step" ? reward : episode.totalReward,
    finished: terminated || truncated,
  };
}

/** Refusals that the agent can learn from. Any other error is a failure of the session. */
const reasons: { readonly [Code in ErrorCode]?: string } = {
  TOOL_NOT_FOUND: "not_found",
  INVALID_INPUT: "input_validation",
  POLICY_DENIED: "input_validation",
  APPROVAL_REJECTED: "input_validation",
  EXECUTION_ERROR: "input_validation",
  TIMEOUT: "input_validation",
  EPISODE_ENDED: "episode_finished",
};

function explain({ code, message }: BiplaneError, tool: string): string {
  switch (code) {
    case "TOOL_NOT_FOUND":
      return `'${tool}' is not a valid tool`;
    case "INVALID_INPUT":
      return `Tool input validation error: ${message}`;
    case "EPISODE_ENDED":
      return `'${tool}' was not run: the episode has finished`;
    default:
      return message;
  }
}
