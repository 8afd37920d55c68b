import type { Store } from "../store/store.ts";
import { digestOf, leastKept, saveDigest } from "./run-digest.ts";
import { RunIndex } from "./run-index.ts";
import { noTotals } from "./run-totals.ts";
import type { TraceEvent } from "./trace.ts";
import { indexLines, indexLogOf, logOf, writeIndexLine } from "./trace-index.ts";
import type { IndexState } from "./trace-index.ts";
import { TraceSummarizer } from "./trace-summary.ts";
import type { TraceSummary } from "./trace-summary.ts";

/** Writes a run's index while the run is played: one line for all rollouts that ended since the last. */
export class IndexWriter {
  readonly #store: Store;
  readonly #run: string;
  readonly #summarizer = new TraceSummarizer();
  #before: IndexState["before"] = () => undefined;
  #totals = noTotals;
  #through = 0;
  #ended: TraceSummary[] = [];

  constructor(store: Store, run: string) {
    this.#store = store;
    this.#run = run;
  }

  /** Finds out what was played before, where the run is resumed. */
  async begin(): Promise<void> {
    if (!(await this.#store.last(logOf(this.#run)))) return;
    const index = new RunIndex(this.#store, this.#run);
    await index.refresh({ isPlayed: false });
    this.#before = index.before;
    this.#totals = index.totals;
  }

  /** Takes events that are on the disk, by the number of the first. */
  hear(events: readonly TraceEvent[], first: number): void {
    for (const [at, event] of events.entries()) {
      this.#through = first + at;
      const summary = this.#summarizer.hear(event, this.#through);
      if (summary) this.#ended.push(summary);
    }
  }

  async write(): Promise<void> {
    if (this.#ended.length === 0) return;
    const oldest = this.#summarizer.oldest ?? null;
    const state = { totals: this.#totals, through: this.#through, oldest, before: this.#before };
    const lines = indexLines(this.#ended, state);
    await this.#store.append(indexLogOf(this.#run), lines.map(writeIndexLine));
    this.#ended = [];
    this.#totals = lines.at(-1)?.totals ?? this.#totals;
  }

  /** Once the run is over: what of it is looked at first. */
  async sumUp(): Promise<void> {
    if (this.#totals.rollouts < leastKept) return;
    const index = new RunIndex(this.#store, this.#run);
    await index.refresh({ isPlayed: true });
    await saveDigest(this.#store, this.#run, digestOf(index));
  }
}
