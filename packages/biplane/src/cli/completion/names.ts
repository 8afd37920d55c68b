import { existsSync } from "node:fs";
import { gallery } from "@biplane/gallery";
import { packs } from "../../pack/packs.ts";
import { tau2Names } from "../../tau2/environment-names.ts";

/** The values of `biplane completion --names`. */
export const nameKinds = ["runs", "environments", "packs"] as const;

/** Names to complete. Completion must not create the store of runs, so a missing one has no runs. */
export async function completionNames(
  kind: (typeof nameKinds)[number],
  store = ".biplane/rollouts.db",
): Promise<string[]> {
  if (kind === "environments") return [...Object.keys(gallery), ...tau2Names];
  if (kind === "packs") return Object.keys(packs);
  if (!existsSync(store)) return [];
  const [{ openRuns }, { listRuns }] = await Promise.all([
    import("../rollout/runs-store.ts"),
    import("../../store/runs/run.ts"),
  ]);
  await using opened = await openRuns({ store });
  const runs = await listRuns(opened);
  return runs.length === 0 ? [] : ["last", ...runs.map(({ id }) => id).toReversed()];
}
