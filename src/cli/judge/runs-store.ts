import { sqliteStore } from "../../store/sqlite.ts";
import type { Store } from "../../store/store.ts";
import { BiplaneError } from "../../errors.ts";
import { findRun, listRuns } from "../../rollout/run.ts";
import type { Run } from "../../rollout/run.ts";

/** Where runs are kept, unless somebody says otherwise. */
export const runsFile = ".biplane/rollouts.db";

export const storeArgs = {
  store: { type: "string", description: "The SQLite file with the runs", default: runsFile },
} as const;

export function openRuns(args: { store: string }): Store {
  return sqliteStore(args.store);
}

/** A run by its name, by how its name begins, or `last`. */
export async function chooseRun(store: Store, name: string): Promise<Run> {
  const all = await listRuns(store);
  if (all.length === 0)
    throw new BiplaneError(
      "INVALID_INPUT",
      "there are no runs yet: biplane rollout --env frozen-lake --agent random -n 20",
    );
  if (name === "last") return all.at(-1) as Run;
  const found = all.filter(({ id }) => id.startsWith(name));
  if (found.length > 1 && !found.some(({ id }) => id === name))
    throw new BiplaneError("INVALID_INPUT", `${name} could be ${found.map(({ id }) => id).join(" or ")}`);
  return found.find(({ id }) => id === name) ?? found[0] ?? findRun(store, name);
}
