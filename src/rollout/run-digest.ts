import type { Store } from "../store/store.ts";
import { figuresOf } from "./run-figures.ts";
import type { RunFigures } from "./run-figures.ts";
import type { RunIndex, TraceFacts } from "./run-index.ts";
import type { RunTotals } from "./run-totals.ts";
import { pageOfTraces } from "./trace-list.ts";

/**
 * What of a run is looked at first. Of a large one it is kept beside the index once the run is over, so that nobody waits
 * until a hundred thousand summaries have been read. It counts only as long as the index ends with the same line.
 */
export interface RunDigest {
  /** The last line of the index it was made from. */
  readonly line: number;
  readonly totals: RunTotals;
  readonly figures: RunFigures;
  /** The first traces by number. */
  readonly first: readonly TraceFacts[];
  /** Whether these are all. */
  readonly isAll: boolean;
}

export function digestOf(index: RunIndex, figures: RunFigures = figuresOf(index)): RunDigest {
  const { rows, next } = pageOfTraces(index, { order: "index", isDescending: false, limit: firstTraces });
  const first = rows.map((row) => index.at(row));
  return { line: index.line, totals: index.totals, figures, first, isAll: next === null };
}

/** Keeps a digest where reading the index would take long enough to be noticed. */
export async function saveDigest(store: Store, run: string, digest: RunDigest): Promise<void> {
  if (digest.totals.rollouts >= leastKept) await store.put(digests, run, { ...digest });
}

/** What was kept; whether it still counts is for whoever asks to see. */
export async function readDigest(store: Store, run: string): Promise<RunDigest | undefined> {
  const kept = (await store.get(digests, run)) as Partial<RunDigest> | undefined;
  const isWhole = kept?.totals && kept.figures && Array.isArray(kept.first) && Number.isSafeInteger(kept.line);
  return isWhole ? (kept as RunDigest) : undefined;
}

/** From how many rollouts on a digest is kept. */
export const leastKept = 2000;

const digests = "run-digests";
const firstTraces = 100;
