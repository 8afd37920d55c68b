import { BiplaneError, makeFailure } from "@biplane/core";
import type { Failure } from "@biplane/core";
import { isRecord, readFailure } from "@biplane/core/internal";
import { textIn } from "./read-log.ts";
import type { LogFields } from "./read-log.ts";

/** What a sample was worth. The reward is null if nobody knows. */
export interface SampleScore {
  readonly reward: number | null;
  readonly failure: Failure | undefined;
  /** What our own scorer reported about the episode. */
  readonly facts: LogFields;
}

/** Reads the score of a sample. `name` chooses a scorer, or one of its values as `scorer.key` (default: the first). */
export function sampleScore(sample: LogFields, name: string | undefined): SampleScore {
  const { error, scores } = sample;
  if (isRecord(error)) return unscored(makeFailure("infrastructure", textIn(error["message"]) || "The sample failed."));
  const known = isRecord(scores) ? scores : {};
  const [scorer = "", ...keys] = (name ?? Object.keys(known)[0] ?? "").split(".");
  const score = Object.hasOwn(known, scorer) ? known[scorer] : undefined;
  if (name !== undefined && Object.keys(known).length > 0 && !isRecord(score))
    throw new BiplaneError("INVALID_INPUT", `There is no scorer ${scorer}. Known: ${Object.keys(known).join(", ")}.`);
  if (!isRecord(score)) return unscored(makeFailure("judge", "The sample was not scored."));
  const facts = isRecord(score["metadata"]) ? score["metadata"] : {};
  const reward = numberOf(score["value"], { scorer, key: keys.join(".") });
  if (reward !== undefined) return { reward, failure: undefined, facts };
  const explanation = typeof score["explanation"] === "string" ? score["explanation"] : "The sample has no score.";
  return unscored(readFailure(facts["failure"]) ?? makeFailure("judge", explanation), facts);
}

function unscored(failure: Failure, facts: LogFields = {}): SampleScore {
  return { reward: null, failure, facts };
}

function numberOf(
  value: unknown,
  { scorer, key }: { readonly scorer: string; readonly key: string },
): number | undefined {
  if (isRecord(value)) {
    if (Object.hasOwn(value, key)) return numberOf(value[key], { scorer, key: "" });
    const names = Object.keys(value).map((each) => `${scorer}.${each}`);
    throw new BiplaneError(
      "INVALID_INPUT",
      `${scorer} has several values. Choose one with --score ${names.join(", ")}.`,
    );
  }
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "string") return letters[value] ?? finite(value.trim() === "" ? NaN : Number(value));
  return typeof value === "number" ? finite(value) : undefined;
}

/** Correct, partial, incorrect and no answer. */
const letters: Readonly<Record<string, number>> = { C: 1, P: 0.5, I: 0, N: 0 };

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
