import { basename } from "node:path";
import { BiplaneError } from "@biplane/core";
import { loadModule } from "../../host/load-module.ts";
import { modelJudge } from "../../rollout/score/scorers.ts";
import type { ChatModel } from "../../rollout/user.ts";
import { usageError } from "../command/exit-code.ts";
import { success, totalReward } from "../../rollout/score/scorer.ts";
import type { Scorer } from "../../rollout/score/scorer.ts";

const builtIn: Readonly<Record<string, Scorer>> = { reward: totalReward, success };

export const scorerDescription = "reward (default), success, judge, or a module whose default export scores a trace";

/** The model that `--scorer judge` asks, and what it looks for. */
export interface ScorerJudge {
  readonly model: ChatModel | undefined;
  readonly criteria: string | undefined;
}

/** A scorer, and the name under which its scores are kept if none is given. With criteria, a judge is the default. */
export async function loadScorer(
  given: string | undefined,
  judge: ScorerJudge,
): Promise<{ readonly scorer: Scorer; readonly name: string }> {
  const written = given ?? (judge.criteria === undefined ? "reward" : "judge");
  if (written === "judge") return { scorer: judgeScorer(judge), name: "judge" };
  const known = Object.hasOwn(builtIn, written) ? builtIn[written] : undefined;
  if (known) return { scorer: known, name: written };
  const { default: scorer } = await loadModule(written);
  if (typeof scorer === "function")
    return { scorer: scorer as Scorer, name: basename(written).replace(/\.[^.]*$/, "") };
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `${written} has no scorer: its default export must be a function that gets a trace.`,
  );
}

function judgeScorer({ model, criteria }: ScorerJudge): Scorer {
  if (!model) throw usageError("A judge needs a model. Pass --judge-model.");
  if (criteria === undefined) throw usageError("A judge needs to know what to look for. Pass --criteria.");
  return modelJudge(model, { criteria });
}
