import { BiplaneError } from "@biplane/core";
import { endInterrupted, findRollout, readTrace, traceBytes } from "../../store/runs/rollouts.ts";
import { getRun, isActive } from "../../store/runs/run.ts";
import type { StoredRun } from "../../store/runs/run.ts";
import { figuresOf, totalsOf } from "../../store/runs/run-figures.ts";
import { listTotals } from "../../store/runs/run-totals.ts";
import type { ListedRun } from "../../store/runs/run-totals.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import type { RolloutRow } from "../../store/tables.ts";
import type { Trace } from "../../rollout/trace.ts";

/** A run and its store. */
export interface FoundRun {
  readonly run: StoredRun;
  readonly store: SqlStore;
}

/** A run in a list. */
export interface FoundTotals extends FoundRun, Pick<ListedRun, "totals" | "score"> {}

/** A rollout and its run. */
export interface FoundRollout extends FoundRun {
  readonly row: RolloutRow;
}

/** A rollout with its trace. */
export interface FoundTrace extends FoundRollout {
  readonly trace: Trace;
}

/** The runs of all stores, written by any process. If two stores have the same run, the first wins. */
export class RunRepository {
  readonly #stores: readonly SqlStore[];
  /** Runs whose figures are being computed. */
  readonly #computing = new Set<string>();

  constructor(stores: readonly SqlStore[]) {
    this.#stores = stores;
  }

  /** All runs. Figures that are old are computed again at once if that is quick, else in the background. */
  async list(): Promise<FoundTotals[]> {
    const found = new Map<string, FoundTotals>();
    const quickUntil = performance.now() + quickMs;
    for (const store of this.#stores)
      for (const listed of await listTotals(store)) {
        if (found.has(listed.run.id)) continue;
        const run = await current(store, listed.run);
        const isQuick = run.ended <= maxQuickRollouts && performance.now() < quickUntil;
        if (!listed.isCurrent && isQuick) {
          const totals = totalsOf((await figuresOf(store, run)).summary);
          found.set(run.id, { run, store, totals, score: listed.score });
          continue;
        }
        if (!listed.isCurrent) void this.#compute(store, run);
        found.set(run.id, { run, store, totals: listed.totals, score: listed.score });
      }
    return Array.from(found.values());
  }

  async #compute(store: SqlStore, run: StoredRun): Promise<void> {
    if (this.#computing.has(run.id)) return;
    this.#computing.add(run.id);
    // A store that was closed meanwhile needs no figures, and a later list tries again.
    await figuresOf(store, run).catch(() => undefined);
    this.#computing.delete(run.id);
  }

  async find(id: string): Promise<FoundRun | undefined> {
    for (const store of this.#stores) {
      const run = await getRun(store, id);
      if (run) return { run: await current(store, run), store };
    }
    return undefined;
  }

  /** The row of a rollout, by the id of its trace. */
  async findRollout(id: string): Promise<FoundRollout | undefined> {
    const { run: name, rollout } = readTraceId(id);
    const found = name === undefined ? undefined : await this.find(name);
    if (!found || rollout === undefined) return undefined;
    const row = await findRollout(found.store, { run: found.run.id, rollout });
    return row && { ...found, row };
  }

  /** A trace, also of a rollout that is being played. */
  async findTrace(id: string): Promise<FoundTrace | undefined> {
    const found = await this.findRollout(id);
    if (!found) return undefined;
    const { rollout } = found.row;
    await checkSize(found, rollout);
    const trace = await readTrace(found.store, { run: found.run.id, rollout });
    return trace && { ...found, trace };
  }
}

/** Figures of so many rollouts take some ten milliseconds. */
const maxQuickRollouts = 5000;
const quickMs = 50;

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
