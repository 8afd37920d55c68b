import type { Store } from "../store/store.ts";
import { digestOf, readDigest, saveDigest } from "./run-digest.ts";
import type { RunDigest } from "./run-digest.ts";
import { figuresOf } from "./run-figures.ts";
import type { RunFigures } from "./run-figures.ts";
import { RunIndex } from "./run-index.ts";
import type { TraceFacts } from "./run-index.ts";
import { noTotals } from "./run-totals.ts";
import type { RunTotals } from "./run-totals.ts";
import { isInterrupted } from "./run.ts";
import type { Run } from "./run.ts";
import { isWhole, lastIndexLine, logOf, openRollouts } from "./trace-index.ts";
import type { OpenRollout } from "./trace-summary.ts";
import { firstPage, pageOfTraces } from "./trace-list.ts";
import type { Page, TraceQuery } from "./trace-list.ts";

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
  /** Runs whose index is about to be read. */
  readonly #soon = new Set<string>();

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
    shelved.isRead = true;
    this.#makeRoom();
    return shelved;
  }

  /** What of a run is looked at first. The index of a large one is not waited for: it is read meanwhile. */
  async digest(run: Run): Promise<RunDigest> {
    const kept = await this.#kept(run);
    if (kept) return kept;
    const digest = (await this.open(run)).digest();
    if (!isPlayed(run)) await saveDigest(this.#store, run.id, digest);
    return digest;
  }

  /** Some of a run's traces; the first ones without waiting for its index. */
  async page(run: Run, query: TraceQuery): Promise<Page<TraceFacts>> {
    const kept = await this.#kept(run);
    const first = kept && firstPage(kept.first, { ...query, isAll: kept.isAll });
    if (first) return first;
    const { index } = await this.open(run);
    const { rows, next } = pageOfTraces(index, query);
    return { rows: rows.map((row) => index.at(row)), next };
  }

  /** What of a run is being played right now. */
  async underWay(run: Run): Promise<readonly OpenRollout[]> {
    return isPlayed(run) ? openRollouts(this.#store, run.id) : [];
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

  /** A digest that still counts, of a run whose index is not there yet. */
  async #kept(run: Run): Promise<RunDigest | undefined> {
    if (isPlayed(run) || this.#runs.get(run.id)?.isRead) return undefined;
    const digest = await readDigest(this.#store, run.id);
    const line = digest && (await lastIndexLine(this.#store, run.id));
    if (!digest || digest.line !== line?.sequence) return undefined;
    if (!isWhole(line, await this.#store.last(logOf(run.id)))) return undefined;
    this.#readSoon(run);
    return digest;
  }

  /** Whoever looks at a run will ask for more of it, but is first to see what he has asked for. */
  #readSoon(run: Run): void {
    if (this.#soon.has(run.id)) return;
    this.#soon.add(run.id);
    setTimeout(() => {
      this.open(run)
        .catch(() => undefined) // whoever asks is told
        .finally(() => this.#soon.delete(run.id));
    }, soonMs).unref();
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

const soonMs = 400;

/** A run's index, and what was made of it. */
export class ShelvedRun {
  readonly index: RunIndex;
  /** Whether all that was there at first is in it. */
  isRead = false;
  #figures: { readonly version: number; readonly figures: RunFigures } | undefined;

  constructor(index: RunIndex) {
    this.index = index;
  }

  figures(): RunFigures {
    const { version } = this.index;
    if (this.#figures?.version !== version) this.#figures = { version, figures: figuresOf(this.index) };
    return this.#figures.figures;
  }

  digest(): RunDigest {
    return digestOf(this.index, this.figures());
  }
}

/** Whether somebody still writes it. */
export function isPlayed(run: Run): boolean {
  return run.status === "running" && !isInterrupted(run);
}
