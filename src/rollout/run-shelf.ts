import type { Store } from "../store/store.ts";
import { figuresOf } from "./run-figures.ts";
import type { RunFigures } from "./run-figures.ts";
import { RunIndex } from "./run-index.ts";
import { noTotals } from "./run-totals.ts";
import type { RunTotals } from "./run-totals.ts";
import { isInterrupted } from "./run.ts";
import type { Run } from "./run.ts";
import { isWhole, lastIndexLine, logOf } from "./trace-index.ts";
import { TraceList } from "./trace-list.ts";

export interface RunShelfOptions {
  /** How many summaries are kept in memory, over all runs: 400,000. The run that was looked at last is always kept. */
  readonly mostTraces?: number;
}

/** The runs of a store, for looking at: their indexes are read once, and those that are looked at most lately are kept. */
export class RunShelf {
  readonly #store: Store;
  readonly #mostTraces: number;
  readonly #runs = new Map<string, ShelvedRun>();
  /** Of runs that nobody adds to any more. */
  readonly #totals = new Map<string, RunTotals>();

  constructor(store: Store, options: RunShelfOptions = {}) {
    this.#store = store;
    this.#mostTraces = options.mostTraces ?? 400_000;
  }

  /** A run with all that is known of its traces by now. */
  async open(run: Run): Promise<ShelvedRun> {
    const shelved = this.#runs.get(run.id) ?? new ShelvedRun(new RunIndex(this.#store, run.id));
    this.#runs.delete(run.id);
    this.#runs.set(run.id, shelved);
    await shelved.index.refresh({ isPlayed: isPlayed(run) });
    this.#makeRoom();
    return shelved;
  }

  /** What a run has come to: two lines are read for it, unless its index has fallen behind. */
  async totals(run: Run): Promise<RunTotals> {
    return (await this.peek(run)) ?? (await this.open(run)).index.totals;
  }

  /** The same where it is known already. */
  async peek(run: Run): Promise<RunTotals | undefined> {
    const known = this.#totals.get(run.id);
    if (known && run.status === "finished") return known;
    const line = await lastIndexLine(this.#store, run.id);
    if (isPlayed(run)) return line?.totals ?? noTotals;
    if (!isWhole(line, await this.#store.last(logOf(run.id)))) return undefined;
    const totals = line?.totals ?? noTotals;
    if (run.status === "finished") this.#totals.set(run.id, totals);
    return totals;
  }

  #makeRoom(): void {
    let traces = 0;
    for (const { index } of this.#runs.values()) traces += index.columns.rollout.length;
    for (const [id, { index }] of this.#runs) {
      if (traces <= this.#mostTraces || this.#runs.size === 1) return;
      this.#runs.delete(id);
      traces -= index.columns.rollout.length;
    }
  }
}

/** A run's index, and what was made of it. */
export class ShelvedRun {
  readonly index: RunIndex;
  readonly list: TraceList;
  #figures: { readonly version: number; readonly figures: RunFigures } | undefined;

  constructor(index: RunIndex) {
    this.index = index;
    this.list = new TraceList(index);
  }

  figures(): RunFigures {
    const { version } = this.index;
    if (this.#figures?.version !== version) this.#figures = { version, figures: figuresOf(this.index) };
    return this.#figures.figures;
  }
}

/** Whether somebody still writes it. */
export function isPlayed(run: Run): boolean {
  return run.status === "running" && !isInterrupted(run);
}
