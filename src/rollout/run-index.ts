import type { Store } from "../store/store.ts";
import { noTotals } from "./run-totals.ts";
import type { RunTotals } from "./run-totals.ts";
import { traceFrom } from "./trace.ts";
import type { Trace } from "./trace.ts";
import {
  indexLines,
  indexLogOf,
  isWhole,
  logOf,
  missingSummaries,
  readEvent,
  readIndex,
  writeIndexLine,
} from "./trace-index.ts";
import type { IndexLine, IndexState } from "./trace-index.ts";
import type { TraceSummary } from "./trace-summary.ts";

/**
 * All summaries of a run in memory, a column for each fact: a hundred thousand of them are some twenty megabytes. Rows
 * are in the order in which the rollouts ended; one whose row was played again later no longer counts.
 */
export class RunIndex {
  readonly run: string;
  readonly columns: Columns = {
    rollout: [],
    index: [],
    repetition: [],
    rowId: [],
    seed: [],
    agent: [],
    model: [],
    startedAt: [],
    durationMs: [],
    steps: [],
    reward: [],
    reason: [],
    controlFailures: [],
    tokens: [],
    cost: [],
    isCounted: [],
  };
  /** What those that failed said, by row. */
  readonly messages = new Map<number, string>();
  /** Another one whenever something was added. */
  version = 0;
  #totals: RunTotals = noTotals;
  readonly #store: Store;
  readonly #shared = new Map<string, string>();
  /** By repetition and row, which line of the columns counts. */
  readonly #jobs: number[][] = [];
  #size = 0;
  /** Where a row's own summary is: the line of the index, and the place in it. */
  readonly #lines: number[] = [];
  readonly #places: number[] = [];
  #read = 0;
  #last: Pick<IndexLine, "through" | "oldest"> | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(store: Store, run: string) {
    this.#store = store;
    this.run = run;
  }

  /** How many rollouts count. */
  get size(): number {
    return this.#size;
  }

  get totals(): RunTotals {
    return this.#totals;
  }

  /** The last line of the index that was read. */
  get line(): number {
    return this.#read;
  }

  /** Reads what has come since. Where nobody plays the run any more, what its index lacks is made up for, once. */
  refresh(options: { isPlayed: boolean }): Promise<void> {
    const refreshed = this.#reading.then(() => this.#refresh(options.isPlayed));
    this.#reading = refreshed.catch(() => undefined);
    return refreshed;
  }

  /** The row of a rollout. */
  find(rollout: string): number | undefined {
    const row = this.columns.rollout.lastIndexOf(rollout);
    return row < 0 ? undefined : row;
  }

  /** What a job came to, as far as it was played. */
  readonly before: IndexState["before"] = (job) => {
    const row = this.#jobs[job.repetition]?.[job.index];
    if (row === undefined) return undefined;
    return { reason: this.columns.reason[row] ?? "", reward: this.columns.reward[row] ?? 0 };
  };

  /** What a list shows of a row. */
  at(row: number): TraceFacts {
    const { columns } = this;
    return {
      rollout: columns.rollout[row] ?? "",
      index: columns.index[row] ?? 0,
      repetition: columns.repetition[row] ?? 0,
      rowId: columns.rowId[row] ?? "",
      seed: columns.seed[row] ?? null,
      agent: columns.agent[row] ?? "",
      model: columns.model[row] ?? "",
      startedAt: columns.startedAt[row] ?? 0,
      durationMs: columns.durationMs[row] ?? 0,
      steps: columns.steps[row] ?? 0,
      reward: columns.reward[row] ?? 0,
      reason: columns.reason[row] ?? "",
      message: this.messages.get(row) ?? null,
    };
  }

  /** A whole trace, of whose run nothing else is read. */
  async open(row: number): Promise<Trace | undefined> {
    const after = (this.#lines[row] ?? 0) - 1;
    for await (const { line } of readIndex(this.#store, this.run, { after, limit: 1 })) {
      const summary = line?.ended[this.#places[row] ?? 0];
      return summary && this.#traceAt(summary.lines);
    }
    return undefined;
  }

  async #traceAt(lines: readonly number[]): Promise<Trace | undefined> {
    const events = [];
    for (let at = 0; at < lines.length; at += 2) {
      const after = (lines[at] ?? 1) - 1;
      const found = await this.#store.read(logOf(this.run), { after, limit: lines[at + 1] ?? 1 });
      events.push(...found.flatMap((line) => readEvent(line) ?? []));
    }
    return traceFrom(events);
  }

  async #refresh(isPlayed: boolean): Promise<void> {
    await this.#readOn();
    if (isPlayed) return;
    const last = await this.#store.last(logOf(this.run));
    if (isWhole(this.#last, last)) return;
    const { ended, through } = await missingSummaries(this.#store, this.run, this.#last);
    const state = { totals: this.#totals, through, oldest: null, before: this.before };
    const lines = indexLines(ended, state).map(writeIndexLine);
    const seen = this.#read;
    // Whoever was quicker has written the same.
    await this.#store.append(indexLogOf(this.run), (newest) => ((newest?.sequence ?? 0) === seen ? lines : []));
    await this.#readOn();
  }

  async #readOn(): Promise<void> {
    for await (const { sequence, line } of readIndex(this.#store, this.run, { after: this.#read })) {
      this.#read = sequence;
      if (!line) continue;
      for (const [place, summary] of line.ended.entries()) this.#add(summary, { line: sequence, place });
      this.#totals = line.totals;
      this.#last = { through: line.through, oldest: line.oldest };
      this.version++;
    }
  }

  #add(summary: TraceSummary, at: { line: number; place: number }): void {
    const { columns } = this;
    const rows = (this.#jobs[summary.repetition] ??= []);
    const before = rows[summary.index];
    if (before === undefined) this.#size++;
    else columns.isCounted[before] = false;
    const row = columns.rollout.push(summary.rollout) - 1;
    rows[summary.index] = row;
    columns.isCounted.push(true);
    columns.index.push(summary.index);
    columns.repetition.push(summary.repetition);
    columns.rowId.push(summary.rowId);
    columns.seed.push(summary.seed);
    columns.agent.push(this.#share(summary.agent));
    columns.model.push(this.#share(summary.model));
    columns.startedAt.push(summary.startedAt);
    columns.durationMs.push(summary.durationMs);
    columns.steps.push(summary.steps);
    columns.reward.push(summary.reward);
    columns.reason.push(this.#share(summary.reason));
    columns.controlFailures.push(summary.controlFailures);
    columns.tokens.push(summary.tokens);
    columns.cost.push(summary.cost);
    if (summary.message !== null) this.messages.set(row, summary.message);
    this.#lines.push(at.line);
    this.#places.push(at.place);
  }

  /** Most rollouts of a run have the same agent and model, and one of few endings: each text is kept once. */
  #share(text: string): string {
    const known = this.#shared.get(text);
    if (known !== undefined) return known;
    if (this.#shared.size < 1000) this.#shared.set(text, text);
    return text;
  }
}

/** A trace in a list. */
export type TraceFacts = Omit<TraceSummary, "controlFailures" | "tokens" | "cost" | "lines">;

export interface Columns {
  readonly rollout: string[];
  readonly index: number[];
  readonly repetition: number[];
  readonly rowId: string[];
  readonly seed: (string | null)[];
  readonly agent: string[];
  readonly model: string[];
  /** Milliseconds since 1970. */
  readonly startedAt: number[];
  readonly durationMs: number[];
  readonly steps: number[];
  readonly reward: number[];
  readonly reason: string[];
  readonly controlFailures: number[];
  readonly tokens: number[];
  readonly cost: (number | null)[];
  readonly isCounted: boolean[];
}
