import { createHash } from "node:crypto";
import { callerOf } from "../call/caller-of.ts";
import type { LiveCall } from "../call/live-call.ts";
import { recallAnswer, stepKeyOf } from "../call/stored-answer.ts";
import type { RecalledAnswer, StoredAnswer } from "../call/stored-answer.ts";
import { BiplaneError } from "../errors.ts";

/** The answers of the latest steps of an episode, for clients that send a step again. It is JSON. */
export interface RecentAnswers {
  /** The latest is the last. */
  readonly answers: readonly StoredAnswer[];
  /** Hashes of the keys of steps before, whose answers are no longer kept. */
  readonly used: readonly string[];
}

/** Adds the answer of a step. The latest is always kept, and others as long as they are few and short. */
export function addAnswer({ answers, used }: RecentAnswers, answer: StoredAnswer): RecentAnswers {
  const all = [...answers, answer];
  let from = Math.max(0, all.length - maxAnswers);
  while (from < all.length - 1 && lengthOf(all.slice(from, -1)) > maxLength) from++;
  const dropped = all.slice(0, from).map(hashOf);
  return { answers: all.slice(from), used: [...used, ...dropped].slice(-maxUsed) };
}

/** The answer to a call that was made before. Throws if that is not kept any more, or belongs to another call. */
export function recallRecent(call: LiveCall, { answers, used }: RecentAnswers): RecalledAnswer | undefined {
  const key = stepKeyOf(call);
  if (key === undefined) return undefined;
  const caller = callerOf(call.principal);
  const answer = answers.findLast((each) => each.key === key && each.caller === caller);
  if (answer) return recallAnswer(call, answer);
  if (used.length === 0 || !used.includes(hashOf({ key, caller }))) return undefined;
  const message = "The step with this key was made. Others were made since, and its answer is no longer kept.";
  throw new BiplaneError("CONFLICT", message);
}

export const noAnswers: RecentAnswers = Object.freeze({ answers: [], used: [] });

function lengthOf(answers: readonly StoredAnswer[]): number {
  return answers.reduce((sum, answer) => sum + JSON.stringify(answer).length, 0);
}

function hashOf({ key, caller }: Pick<StoredAnswer, "key" | "caller">): string {
  return createHash("sha256").update(`${caller} ${key}`).digest("base64url").slice(0, 12);
}

/** As many as a client may have under way in one episode. */
const maxAnswers = 8;
const maxLength = 16 * 1024;
const maxUsed = 64;
