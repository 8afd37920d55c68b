import { BiplaneError } from "@biplane/core";
import { endInterrupted, findRollout, readTrace, traceBytes } from "../../store/runs/rollouts.ts";
import { getRun, isActive, listRuns } from "../../store/runs/run.ts";
import type { StoredRun } from "../../store/runs/run.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import type { RolloutRow } from "../../store/tables.ts";
import type { Trace } from "../../rollout/trace.ts";

/** A run and its store. */
export interface FoundRun {
  readonly run: StoredRun;
  readonly store: SqlStore;
}

/** A full trace and its row. */
export interface FoundTrace {
  readonly run: StoredRun;
  readonly row: RolloutRow;
  readonly trace: Trace;
}

/** The runs of all stores, written by any process. If two stores have the same run, the first wins. */
export class RunRepository {
  readonly #stores: readonly SqlStore[];

  constructor(stores: readonly SqlStore[]) {
    this.#stores = stores;
  }

  async list(): Promise<FoundRun[]> {
    const found = new Map<string, FoundRun>();
    for (const store of this.#stores)
      for (const run of await listRuns(store))
        if (!found.has(run.id)) found.set(run.id, { run: await current(store, run), store });
    return Array.from(found.values());
  }

  async find(id: string): Promise<FoundRun | undefined> {
    for (const store of this.#stores) {
      const run = await getRun(store, id);
      if (run) return { run: await current(store, run), store };
    }
    return undefined;
  }

  async findTrace(id: string): Promise<FoundTrace | undefined> {
    const { run: name, rollout } = readTraceId(id);
    const found = name === undefined ? undefined : await this.find(name);
    if (!found || rollout === undefined) return undefined;
    const row = await findRollout(found.store, { run: found.run.id, rollout });
    const isEnded = row !== undefined && row.ended_at !== null;
    if (isEnded) await checkSize(found, rollout);
    const trace = isEnded ? await readTrace(found.store, { run: found.run.id, rollout }) : undefined;
    return row && trace ? { run: found.run, row, trace } : undefined;
  }
}

/** A trace is read as a whole, so that one of any size could fill the memory. */
async function checkSize({ run, store }: FoundRun, rollout: string): Promise<void> {
  const bytes = await traceBytes(store, run.id, rollout);
  if (bytes > maxTraceBytes)
    throw new BiplaneError(
      "NOT_SUPPORTED",
      `The trace has ${bytes} bytes, and at most ${maxTraceBytes} are read here. Use biplane show ${run.id} --json.`,
    );
}

export const maxTraceBytes = 32 * 1024 * 1024;

/** A trace id contains its run. Run ids may contain colons; rollout ids do not. */
export function traceId(run: string, rollout: string): string {
  return `${run}:${rollout}`;
}

function readTraceId(id: string): { readonly run?: string; readonly rollout?: string } {
  const at = id.lastIndexOf(":");
  return at < 0 ? {} : { run: id.slice(0, at), rollout: id.slice(at + 1) };
}

/** A process that died left rollouts open. Only on this machine it is known to be dead. */
async function current(store: SqlStore, run: StoredRun): Promise<StoredRun> {
  if (run.status !== "running" || isActive(run) || store.engine !== "sqlite") return run;
  await endInterrupted(store, run.id);
  return (await getRun(store, run.id)) ?? run;
}
