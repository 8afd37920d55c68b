import { LiveCall } from "@biplane/core/internal";
import type { Outcome } from "@biplane/core/internal";
import type { Principal } from "@biplane/core";
import { pageAgent } from "../calls/call-agent.ts";
import { boundedText } from "../calls/bounded-json.ts";
import { toLoggedResult, fromLoggedResult } from "../calls/call-result.ts";
import type { PlayedStep } from "./episode-api.ts";
import type { FoundEpisode } from "./episode-list.ts";

/** A step made by a person. */
export interface StepRequest {
  readonly tool: string;
  readonly input: unknown;
  readonly by: Principal;
}

/** Makes a step through the normal call path, so that policies, approval and audit apply. */
export async function performStep(
  { environment, episode }: FoundEpisode,
  { tool, input, by }: StepRequest,
): Promise<{ readonly call: LiveCall; readonly outcome: Outcome }> {
  const call = new LiveCall({
    tool,
    input,
    route: "people",
    agent: pageAgent(),
    principal: by,
    scope: episode.asScope,
  });
  return { call, outcome: await environment.server.perform(call) };
}

/** Makes one manual step. */
export async function playStep(found: FoundEpisode, request: StepRequest): Promise<Omit<PlayedStep, "episode">> {
  const { outcome } = await performStep(found, request);
  if (outcome.status === "failed") {
    const { code, message } = outcome.error;
    return { outcome: code, result: null, message: boundedText(message, maxMessageLength) };
  }
  if (outcome.status === "suspended")
    return {
      outcome: "suspended",
      result: null,
      message: `${request.tool} asks questions, which cannot be answered here.`,
    };
  return { outcome: "done", result: fromLoggedResult(toLoggedResult(outcome, maxResultLength)), message: null };
}

const maxMessageLength = 4000;
const maxResultLength = 200_000;
