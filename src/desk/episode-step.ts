import { LiveCall } from "../call/live-call.ts";
import type { Outcome } from "../call/outcome.ts";
import type { Principal } from "../tool/call.ts";
import { pageAgent } from "./call-agent.ts";
import { boundedText } from "./call-json.ts";
import { keepResult, shownResult } from "./call-result.ts";
import type { PlayedStep } from "./contract.ts";
import type { FoundEpisode } from "./episode-book.ts";

/** A step that a person makes. */
export interface StepWish {
  readonly tool: string;
  readonly input: unknown;
  readonly by: Principal;
}

/** Makes a step by the path of all calls, so that rules, approval and audit hold for people too. */
export async function performStep(
  { environment, episode }: FoundEpisode,
  { tool, input, by }: StepWish,
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

/** One step by hand, and what it came to. */
export async function playStep(there: FoundEpisode, wish: StepWish): Promise<Omit<PlayedStep, "episode">> {
  const { outcome } = await performStep(there, wish);
  if (outcome.status === "failed") {
    const { code, message } = outcome.error;
    return { outcome: code, result: null, message: boundedText(message, longestMessage) };
  }
  if (outcome.status === "suspended")
    return {
      outcome: "suspended",
      result: null,
      message: `${wish.tool} asks questions, which cannot be answered here`,
    };
  return { outcome: "done", result: shownResult(keepResult(outcome, longestResult)), message: null };
}

const longestMessage = 4000;
const longestResult = 200_000;
