import { sameAnswer } from "./normalise-arguments.ts";
import type { PathState, RecordedPath } from "./recorded-path.ts";

/** How much each part counts. */
export interface PathWeights {
  readonly path?: number;
  readonly answer?: number;
}

/** Scores a final answer from 0 to 1. If it throws, the episode has no reward. */
export type AnswerJudge = (given: {
  readonly task: string | undefined;
  readonly answer: string;
  /** The recorded answer. */
  readonly expected: string | undefined;
  readonly criteria: string | undefined;
}) => Promise<number>;

interface PathStep {
  readonly before: PathState;
  readonly after: PathState;
  readonly path: RecordedPath;
}

/** The parts of a step's reward: its share of the recorded path, and the final answer. */
export async function pathReward(
  { before, after, path }: PathStep,
  { weights = {}, judge }: { readonly weights?: PathWeights; readonly judge?: AnswerJudge },
): Promise<Record<string, number>> {
  const { task, answer: expected, criteria } = path.session.label;
  const hasAnswer = expected !== undefined || criteria !== undefined;
  const { path: pathWeight = hasAnswer ? 0.5 : 1, answer: answerWeight = 0.5 } = weights;
  const followed = (pathWeight * (after.made.length - before.made.length)) / path.calls.length;
  const { answer } = after;
  if (answer === null || before.answer !== null || !hasAnswer) return { path: followed };
  const score =
    judge && criteria !== undefined
      ? await judge({ task, answer, expected, criteria })
      : expected !== undefined && sameAnswer(answer, expected)
        ? 1
        : 0;
  return { path: followed, answer: answerWeight * score };
}
