import { BiplaneError } from "@biplane/core";
import { cutBetweenWords, parseJson } from "@biplane/core/internal";
import { messageText } from "../message.ts";
import type { Trace } from "../trace.ts";
import type { ChatModel } from "../user.ts";
import type { Score, Scorer } from "./scorer.ts";

/** 1 if the agent's last message equals the expected text (default: the row's `ground_truth`), else 0. */
export function exactMatch(
  options: { expected?: (trace: Trace) => string; normalize?: (text: string) => string } = {},
): Scorer {
  const { expected = groundTruth, normalize = (text) => text.trim() } = options;
  return (trace) => {
    const [actual, wanted] = [normalize(lastMessage(trace)), normalize(expected(trace))];
    const isEqual = actual === wanted;
    return {
      score: isEqual ? 1 : 0,
      reason: isEqual ? "Matches the expected answer." : `Expected ${wanted}, got ${actual}.`,
    };
  };
}

/** The weighted mean of several scorers. Each part is also in `metrics`. */
export function rubric(parts: Readonly<Record<string, { weight?: number; scorer: Scorer }>>): Scorer {
  return async (trace) => {
    const scored = await Promise.all(
      Object.entries(parts).map(async ([name, { weight = 1, scorer }]) => {
        const given = await scorer(trace);
        const { score, reason = "" } = typeof given === "number" || given === null ? { score: given } : given;
        if (score === null) throw new BiplaneError("EXECUTION_ERROR", `${name} has no score. ${reason}`);
        return { name, weight, score, reason };
      }),
    );
    const total = scored.reduce((sum, { weight }) => sum + weight, 0);
    const score = scored.reduce((sum, part) => sum + part.weight * part.score, 0) / (total || 1);
    return { score, metrics: Object.fromEntries(scored.map(({ name, score, reason }) => [name, { score, reason }])) };
  };
}

/** Asks a model for a score from 0 to 1 and a reason. */
export function modelJudge(model: ChatModel, options: { criteria: string; signal?: AbortSignal }): Scorer {
  const task = `Judge how well the assistant did. Answer with JSON: {"score": a number from 0 to 1, "reason": one sentence}.`;
  const instructions = `${options.criteria}\n\n${task}`;
  return async (trace) =>
    readScoreReply(await askJudge(model, { instructions, subject: transcriptOf(trace), signal: options.signal }));
}

/** Asks a model to judge something. Returns its reply. */
export async function askJudge(
  model: ChatModel,
  given: { readonly instructions: string; readonly subject: string; readonly signal?: AbortSignal | undefined },
): Promise<string> {
  const { instructions, subject, signal = new AbortController().signal } = given;
  const messages = [
    { role: "system", content: instructions },
    { role: "user", content: subject },
  ];
  return (await model(messages, { signal, parameters: { temperature: 0 } })).text;
}

/** Reads a judge's reply: JSON with a score from 0 to 1 and a reason. Throws if it is something else. */
export function readScoreReply(text: string): { readonly score: number; readonly reason: string } {
  const { score, reason } = readJudgement(text) as { score: unknown; reason?: unknown };
  if (typeof score !== "number" || !(score >= 0 && score <= 1)) throw unusable(text);
  return { score, reason: typeof reason === "string" ? reason.slice(0, maxReasonLength) : "" };
}

/** Asks a model which of two rollouts of a row is better, in both orders to cancel position bias. */
export function pairwiseJudge(
  model: ChatModel,
  options: { criteria: string; signal?: AbortSignal },
): (one: Trace, other: Trace) => Promise<Score> {
  const ask = async (first: Trace, second: Trace): Promise<number> => {
    const task = `Which did better, A or B? Answer with JSON: {"better": "A", "B" or "equal"}.`;
    const subject = `A:\n${transcriptOf(first)}\n\nB:\n${transcriptOf(second)}`;
    const instructions = `${options.criteria}\n\n${task}`;
    const text = await askJudge(model, { instructions, subject, signal: options.signal });
    const { better } = readJudgement(text) as { better?: unknown };
    if (better !== "A" && better !== "B" && better !== "equal") throw unusable(text);
    return better === "equal" ? 0.5 : better === "A" ? 1 : 0;
  };
  return async (one, other) => {
    const score = ((await ask(one, other)) + (1 - (await ask(other, one)))) / 2;
    const verdict = score > 0.5 ? "The first is better." : score < 0.5 ? "The second is better." : "Neither is better.";
    return { score, reason: verdict };
  };
}

/** The transcript for a judge, without rewards, so that they cannot influence it. */
function transcriptOf({ messages }: Trace): string {
  return messages
    .map((message) => {
      const calls = (message.tool_calls ?? []).map(({ function: call }) => `[calls ${call.name} ${call.arguments}]`);
      return `${message.role}: ${[messageText(message), ...calls].filter(Boolean).join("\n")}`;
    })
    .join("\n");
}

const maxReasonLength = 2000;

/** Parses the JSON object in a judge's reply. */
export function readJudgement(text: string): unknown {
  // A pattern would take quadratic time for a reply of opening brackets.
  const found = text.slice(Math.max(0, text.indexOf("{")), text.lastIndexOf("}") + 1);
  try {
    return parseJson(found);
  } catch {
    throw unusable(text);
  }
}

function unusable(text: string): BiplaneError {
  return new BiplaneError(
    "EXECUTION_ERROR",
    `The judge's reply is not the requested JSON: ${cutBetweenWords(text, 200)}`,
  );
}

function groundTruth({ row, rowId }: Trace): string {
  const truth = row["ground_truth"];
  if (truth === undefined || truth === null)
    throw new BiplaneError("INVALID_INPUT", `The row ${rowId} has no ground_truth.`);
  return typeof truth === "string" ? truth : JSON.stringify(truth);
}

function lastMessage({ messages }: Trace): string {
  const last = messages.findLast(({ role, content }) => role === "assistant" && content);
  return last ? messageText(last) : "";
}
