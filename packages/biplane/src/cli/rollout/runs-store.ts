import { inputError } from "../command/exit-code.ts";
import { file, option } from "../command/define.ts";
import { openStore } from "../../store/sql-store.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import { runsFile } from "../../store/runs/runs-file.ts";
import { findRun, listRuns } from "../../store/runs/run.ts";
import type { Run, StoredRun } from "../../store/runs/run.ts";
import { playerName } from "./report.ts";

export const runsStoreArgs = {
  store: option("The SQLite file or Postgres URL with the runs", { takes: file, default: runsFile }),
} as const;

export function openRuns(args: { store: string }): Promise<SqlStore> {
  return openStore(args.store);
}

export const runDescription = "A run: its name, its id, a prefix of the id, or last";

/** The name and the id of a run, for a person. */
export function runName(run: Run): string {
  const { id, name } = run;
  return name === undefined ? `${id} (${playerName(run)})` : `${name} (${id}, ${playerName(run)})`;
}

/** Finds a run by its id, its name, a prefix of its id, or `last`. Of several runs with a name, the newest. */
export async function chooseRun(store: SqlStore, name: string): Promise<StoredRun> {
  const all = await listRuns(store);
  if (all.length === 0)
    throw inputError("No runs yet. Start one: biplane rollout --env frozen-lake --agent random -n 20");
  if (name === "last") return all.at(-1) as StoredRun;
  const exact = all.find(({ id }) => id === name) ?? all.findLast((run) => run.name === name);
  if (exact) return exact;
  const found = all.filter(({ id }) => id.startsWith(name));
  if (found.length > 1) throw inputError(`${name} matches several runs: ${found.map(({ id }) => id).join(", ")}.`);
  return found[0] ?? findRun(store, name);
}
