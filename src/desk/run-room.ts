import { setTimeout as pause } from "node:timers/promises";
import { getRun, listRuns } from "../rollout/run.ts";
import type { Run } from "../rollout/run.ts";
import { RunShelf } from "../rollout/run-shelf.ts";
import type { ShelvedRun } from "../rollout/run-shelf.ts";
import { noTotals } from "../rollout/run-totals.ts";
import type { RunTotals } from "../rollout/run-totals.ts";
import type { Trace } from "../rollout/trace.ts";
import type { Store } from "../store/store.ts";
import { readTraceId } from "./trace-id.ts";

export interface RunRoomOptions {
  /** Where runs are kept. A run that two of them have is the first one's. */
  readonly stores: readonly Store[];
  /** Told of runs about which more is known than before. */
  readonly onChange?: (ids: readonly string[]) => void;
  /** How long a list waits for runs whose index must first be made. */
  readonly patienceMs?: number;
}

/** A run and where it is kept. */
export interface FoundRun {
  readonly run: Run;
  readonly store: Store;
  readonly shelf: RunShelf;
}

/** A trace, whole, and its row in the index. */
export interface FoundTrace {
  readonly run: Run;
  readonly shelved: ShelvedRun;
  readonly row: number;
  readonly trace: Trace;
}

/** All runs that can be looked at here, whichever process plays them. */
export class RunRoom {
  readonly #places: readonly { readonly store: Store; readonly shelf: RunShelf }[];
  readonly #onChange: (ids: readonly string[]) => void;
  readonly #patienceMs: number;
  /** Runs whose index is being made, one after the other. */
  readonly #making = new Set<string>();
  #work: Promise<void> = Promise.resolve();

  constructor({ stores, onChange, patienceMs = 300 }: RunRoomOptions) {
    this.#places = stores.map((store) => ({ store, shelf: new RunShelf(store) }));
    this.#onChange = onChange ?? (() => undefined);
    this.#patienceMs = patienceMs;
  }

  async list(): Promise<FoundRun[]> {
    const found = new Map<string, FoundRun>();
    for (const place of this.#places)
      for (const run of await listRuns(place.store)) if (!found.has(run.id)) found.set(run.id, { run, ...place });
    return Array.from(found.values());
  }

  async find(id: string): Promise<FoundRun | undefined> {
    for (const place of this.#places) {
      const run = await getRun(place.store, id);
      if (run) return { run, ...place };
    }
    return undefined;
  }

  async findTrace(id: string): Promise<FoundTrace | undefined> {
    const { run: name, rollout } = readTraceId(id) ?? {};
    const there = name === undefined ? undefined : await this.find(name);
    if (!there || rollout === undefined) return undefined;
    const shelved = await there.shelf.open(there.run);
    const row = shelved.index.find(rollout);
    const trace = row === undefined ? undefined : await shelved.index.open(row);
    return trace && row !== undefined ? { run: there.run, shelved, row, trace } : undefined;
  }

  /** What runs have come to. Those of which that must first be found out are told of when it is known. */
  async totals(runs: readonly FoundRun[]): Promise<RunTotals[]> {
    const look = () => Promise.all(runs.map(({ run, shelf }) => shelf.peek(run)));
    const known = await look();
    const behind = runs.filter((_, at) => known[at] === undefined);
    if (behind.length === 0) return known.map((totals) => totals ?? noTotals);
    await Promise.race([this.#make(behind), pause(this.#patienceMs, undefined, { ref: false })]);
    return (await look()).map((totals) => totals ?? noTotals);
  }

  #make(runs: readonly FoundRun[]): Promise<void> {
    for (const { run, shelf } of runs) {
      if (this.#making.has(run.id)) continue;
      this.#making.add(run.id);
      const make = async () => {
        await shelf.open(run);
        this.#onChange([run.id]);
      };
      this.#work = this.#work
        .then(make)
        .catch(() => undefined) // whoever opens the run is told
        .finally(() => this.#making.delete(run.id));
    }
    return this.#work;
  }
}
