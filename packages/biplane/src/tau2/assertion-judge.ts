import { cutBetweenWords, isRecord } from "@biplane/core/internal";
import { askJudge, readJudgement } from "../rollout/score/scorers.ts";
import type { ChatModel } from "../rollout/user.ts";
import type { Conversation } from "./conversation.ts";
import type { AssertionJudge } from "./grade.ts";

/** Judges sentences about a conversation with a model. Throws if the answer cannot be read. */
export function assertionJudge(model: ChatModel, { events }: Conversation, signal: AbortSignal): AssertionJudge {
  const conversation = events.map((event) => {
    if ("text" in event) return `${event.side}: ${event.text}`;
    const { name, arguments: input, content } = event.call;
    return `${event.side} calls ${name}(${JSON.stringify(input)})\ntool: ${content}`;
  });
  return async (assertions) => {
    const subject = JSON.stringify({ conversation: conversation.join("\n"), outcomes: assertions });
    return readVerdicts(await askJudge(model, { instructions, subject, signal }), assertions.length);
  };
}

const instructions = `You judge a conversation between a service agent and a customer.
Decide for each of the expected outcomes, separately, whether the agent fulfilled it.
Answer only with JSON: {"results": [{"outcome": "…", "reasoning": "…", "met": true}]}, one result for each outcome, in their order.`;

function readVerdicts(text: string, count: number): boolean[] {
  const answer = readJudgement(text);
  const results: unknown[] = isRecord(answer) && Array.isArray(answer["results"]) ? answer["results"] : [];
  const verdicts = results.map((each) => (isRecord(each) ? each["met"] : undefined));
  if (verdicts.length === count && verdicts.every((each) => typeof each === "boolean")) return verdicts;
  throw new Error(`The judge did not answer for each of ${count} outcomes: ${cutBetweenWords(text, 300)}`);
}
