import { existsSync } from "node:fs";
import { gallery } from "../../gallery/gallery.ts";
import { packs } from "../../pack/packs.ts";

/** What `biplane completion --words` can be asked for. */
export const wordKinds = ["runs", "environments", "packs"] as const;

/** Names that are known only here. Runs are those of the usual store; to complete a word is not to make one. */
export async function namesOf(kind: (typeof wordKinds)[number], store = ".biplane/rollouts.db"): Promise<string[]> {
  if (kind === "environments") return Object.keys(gallery);
  if (kind === "packs") return Object.keys(packs);
  if (!existsSync(store)) return [];
  const [{ openRuns }, { listRuns }] = await Promise.all([
    import("../judge/runs-store.ts"),
    import("../../rollout/run.ts"),
  ]);
  await using opened = openRuns({ store });
  const runs = await listRuns(opened);
  return runs.length === 0 ? [] : ["last", ...runs.map(({ id }) => id).toReversed()];
}
