import { BiplaneError } from "../../errors.ts";
import { textOf } from "../message.ts";
import type { Trace } from "../trace.ts";
import type { Speaker } from "../user.ts";
import type { Score, Scorer } from "./scorer.ts";

/** 1 where the agent's last words are the row's `ground_truth`, or what is given. */
export function exactMatch(
  options: { expected?: (trace: Trace) => string; normalize?: (text: string) => string } = {},
): Scorer {
  const { expected = groundTruth, normalize = (text) => text.trim() } = options;
  return (trace) => {
    const [said, wanted] = [normalize(lastWords(trace)), normalize(expected(trace))];
    const isEqual = said === wanted;
    return {
      score: isEqual ? 1 : 0,
      reason: isEqual ? "It is the expected answer" : `Expected ${wanted}, got ${said}`,
    };
  };
}

/** Several scorers as one, each with its weight; the score is their weighted mean. */
export function rubric(parts: Readonly<Record<string, { weight?: number; scorer: Scorer }>>): Scorer {
  return async (trace) => {
    const judged = await Promise.all(
      Object.entries(parts).map(async ([name, { weight = 1, scorer }]) => {
        const given = await scorer(trace);
        const { score, reason = "" } = typeof given === "number" ? { score: given } : given;
        return { name, weight, score, reason };
      }),
    );
    const whole = judged.reduce((sum, { weight }) => sum + weight, 0);
    const score = judged.reduce((sum, part) => sum + part.weight * part.score, 0) / (whole || 1);
    return { score, metrics: Object.fromEntries(judged.map(({ name, score, reason }) => [name, { score, reason }])) };
  };
}

/** Asks a model how well the agent did. It answers with a number from 0 to 1 and its reason, as JSON. */
export function modelJudge(speak: Speaker, options: { criteria: string; signal?: AbortSignal }): Scorer {
  return async (trace) => {
    const { text } = await speak(judgePrompt(options.criteria, transcriptOf(trace)), speakOptions(options.signal));
    const { score, reason } = readJudgement(text) as { score: unknown; reason?: unknown };
    if (typeof score !== "number" || !(score >= 0 && score <= 1)) throw unusable(text);
    return { score, reason: typeof reason === "string" ? reason : "" };
  };
}

/** Asks a model which of two rollouts of the same row is better, both ways round, for it may prefer what comes first. */
export function pairwiseJudge(
  speak: Speaker,
  options: { criteria: string; signal?: AbortSignal },
): (one: Trace, other: Trace) => Promise<Score> {
  const ask = async (first: Trace, second: Trace): Promise<number> => {
    const task = `Which did better, A or B? Answer with JSON: {"better": "A", "B" or "equal"}.`;
    const both = `A:\n${transcriptOf(first)}\n\nB:\n${transcriptOf(second)}`;
    const messages = [
      { role: "system", content: `${options.criteria}\n\n${task}` },
      { role: "user", content: both },
    ];
    const { text } = await speak(messages, speakOptions(options.signal));
    const { better } = readJudgement(text) as { better?: unknown };
    if (better !== "A" && better !== "B" && better !== "equal") throw unusable(text);
    return better === "equal" ? 0.5 : better === "A" ? 1 : 0;
  };
  return async (one, other) => {
    const score = ((await ask(one, other)) + (1 - (await ask(other, one)))) / 2;
    const verdict = score > 0.5 ? "The first is better" : score < 0.5 ? "The second is better" : "Neither is better";
    return { score, reason: verdict };
  };
}

/** What was said and done, for a judge. No rewards: it shall make up its own mind. */
function transcriptOf({ messages }: Trace): string {
  return messages
    .map((message) => {
      const calls = (message.tool_calls ?? []).map(({ function: call }) => `[calls ${call.name} ${call.arguments}]`);
      return `${message.role}: ${[textOf(message), ...calls].filter(Boolean).join("\n")}`;
    })
    .join("\n");
}

function judgePrompt(criteria: string, transcript: string) {
  const task = `Judge how well the assistant did. Answer with JSON: {"score": a number from 0 to 1, "reason": one sentence}.`;
  return [
    { role: "system", content: `${criteria}\n\n${task}` },
    { role: "user", content: transcript },
  ];
}

function speakOptions(signal: AbortSignal | undefined) {
  return { signal: signal ?? new AbortController().signal, parameters: { temperature: 0 } };
}

/** The first JSON object in what a judge said. */
function readJudgement(text: string): unknown {
  const found = /\{[\s\S]*\}/.exec(text)?.[0];
  try {
    return JSON.parse(found ?? "") as unknown;
  } catch {
    throw unusable(text);
  }
}

function unusable(text: string): BiplaneError {
  return new BiplaneError("EXECUTION_ERROR", `the judge's answer cannot be used: ${text.slice(0, 200)}`);
}

function groundTruth({ row, rowId }: Trace): string {
  const truth = row["ground_truth"];
  if (truth === undefined || truth === null)
    throw new BiplaneError("INVALID_INPUT", `the row ${rowId} has no ground_truth`);
  return typeof truth === "string" ? truth : JSON.stringify(truth);
}

function lastWords({ messages }: Trace): string {
  const last = messages.findLast(({ role, content }) => role === "assistant" && content);
  return last ? textOf(last) : "";
}
