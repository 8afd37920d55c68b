import { basename } from "node:path";
import { BiplaneError } from "@biplane/core";
import { loadModule } from "../../host/load-module.ts";
import { success, totalReward } from "../../rollout/score/scorer.ts";
import type { Scorer } from "../../rollout/score/scorer.ts";

const builtIn: Readonly<Record<string, Scorer>> = { reward: totalReward, success };

export const scorerDescription = "reward (default), success, or a module whose default export scores a trace";

/** A scorer, and the name under which its scores are kept if none is given. */
export async function loadScorer(written = "reward"): Promise<{ readonly scorer: Scorer; readonly name: string }> {
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
