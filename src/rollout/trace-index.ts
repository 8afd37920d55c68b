import { setImmediate as breathe } from "node:timers/promises";
import type { LogLine, Store } from "../store/store.ts";
import { addTotals, noTotals } from "./run-totals.ts";
import type { RunTotals } from "./run-totals.ts";
import type { TraceEvent } from "./trace.ts";
import { TraceSummarizer, packSummary, unpackSummary } from "./trace-summary.ts";
import type { OpenRollout, PackedSummary, TraceSummary } from "./trace-summary.ts";

/**
 * Beside a run's log of events stands a second log with a summary of every rollout that is over. It is written by whoever
 * writes the events, a moment after them; where it falls behind because nobody lived to write it, or was never written,
 * whoever comes next makes up for it from the events. So the events alone are the truth.
 */
export interface IndexLine {
  /** Every rollout whose end is up to this line of the events is in the index. */
  readonly through: number;
  /** The first line of the oldest rollout that was not over then, if any. */
  readonly oldest: number | null;
  /** What the whole run has come to so far. */
  readonly totals: RunTotals;
  readonly ended: readonly TraceSummary[];
}

/** The log that holds a run's traces. */
export function logOf(run: string): string {
  return `traces/${run}`;
}

/** The log that holds their summaries. */
export function indexLogOf(run: string): string {
  return `trace-index/${run}`;
}

/** How far the index of a run goes; undefined where there is none. */
export async function lastIndexLine(store: Store, run: string): Promise<LastIndexLine | undefined> {
  const last = await store.last(indexLogOf(run));
  const line = last && readIndexLine(last);
  return line && { ...line, sequence: last.sequence };
}

export interface LastIndexLine extends IndexLine {
  readonly sequence: number;
}

/** The lines of an index after one of them. Those that nobody can read are passed over. */
export async function* readIndex(
  store: Store,
  run: string,
  { after, limit = Infinity }: { after: number; limit?: number },
): AsyncGenerator<{ readonly sequence: number; readonly line: IndexLine | undefined }> {
  for (let at = after, left = limit; left > 0; left -= indexPageLines) {
    const page = await store.read(indexLogOf(run), { after: at, limit: Math.min(left, indexPageLines) });
    const last = page.at(-1);
    if (!last) return;
    for (const line of page) yield { sequence: line.sequence, line: readIndexLine(line) };
    at = last.sequence;
    await breathe();
  }
}

/** Whether an index lacks nothing of a run that nobody plays any more, whose events end with that line. */
export function isWhole(index: Pick<IndexLine, "through" | "oldest"> | undefined, last: LogLine | undefined): boolean {
  return (last?.sequence ?? 0) <= (index?.through ?? 0) && (index?.oldest ?? null) === null;
}

/** What an index that stops at `from` lacks, found in the events: for a run that nobody plays any more. */
export async function missingSummaries(
  store: Store,
  run: string,
  from: Pick<IndexLine, "through" | "oldest"> | undefined,
): Promise<{ readonly ended: readonly TraceSummary[]; readonly through: number }> {
  const summarizer = new TraceSummarizer();
  const ended: TraceSummary[] = [];
  const known = from?.through ?? 0;
  let at = (from?.oldest ?? known + 1) - 1;
  for (;;) {
    const page = await store.read(logOf(run), { after: at, limit: pageLines });
    const last = page.at(-1);
    if (!last) break;
    for (const line of page) {
      const event = readEvent(line);
      const summary = event && summarizer.hear(event, line.sequence);
      if (summary && line.sequence > known) ended.push(summary);
    }
    at = last.sequence;
    await breathe();
  }
  return { ended: [...ended, ...summarizer.interrupted()], through: Math.max(at, known) };
}

/** The rollouts of a run that are being played, found in its last events: of very many at once, the oldest. */
export async function openRollouts(store: Store, run: string): Promise<readonly OpenRollout[]> {
  const last = await lastIndexLine(store, run);
  const summarizer = new TraceSummarizer();
  const after = (last?.oldest ?? (last?.through ?? 0) + 1) - 1;
  for (const line of await store.read(logOf(run), { after, limit: mostOpenLines })) {
    const event = readEvent(line);
    if (event) summarizer.hear(event, line.sequence);
  }
  return summarizer.open();
}

/** Lines for the index, with what the run has come to after each. */
export function indexLines(ended: readonly TraceSummary[], state: IndexState): IndexLine[] {
  const { through, oldest, before } = state;
  const lines: IndexLine[] = [];
  let { totals } = state;
  for (let at = 0; at === 0 || at < ended.length; at += summariesPerLine) {
    const part = ended.slice(at, at + summariesPerLine);
    totals = part.reduce((sum, summary) => addTotals(sum, summary, before(summary)), totals);
    lines.push({ through, oldest, totals, ended: part });
  }
  return lines;
}

/** What is known of a run before further lines of its index. */
export interface IndexState extends Omit<IndexLine, "ended"> {
  /** What the same row came to when it was played before. */
  readonly before: (job: { index: number; repetition: number }) => Pick<TraceSummary, "reason" | "reward"> | undefined;
}

/** A line of the index as text. */
export function writeIndexLine({ ended, ...line }: IndexLine): string {
  return JSON.stringify({ ...line, ended: ended.map(packSummary) });
}

/** One event of a run; undefined where the line is none. */
export function readEvent({ line }: LogLine): TraceEvent | undefined {
  const event: Partial<TraceEvent> | undefined = parsed(line);
  return event && isEvent(event) ? event : undefined;
}

/** Whether a line has what readers rely on: others may write to the same file. */
function isEvent(event: Partial<TraceEvent>): event is TraceEvent {
  if (typeof event.rollout !== "string" || !Array.isArray(event.messages)) return false;
  if (event.type === "begin") return Array.isArray(event.tools) && Array.isArray(event.faults);
  if (event.type === "step") return Array.isArray(event.faults);
  return event.type === "end" && typeof event.ending === "object" && event.ending !== null;
}

const pageLines = 500;
const mostOpenLines = 1000;
/** A line of the index may hold many summaries, and others wait meanwhile. */
const indexPageLines = 10;
const summariesPerLine = 200;

function readIndexLine({ line }: LogLine): IndexLine | undefined {
  const read: Partial<IndexLine> | undefined = parsed(line);
  if (!Array.isArray(read?.ended) || !Number.isSafeInteger(read.through)) return undefined;
  const ended = (read.ended as unknown as readonly PackedSummary[]).filter(Array.isArray).map(unpackSummary);
  return { through: Number(read.through), oldest: read.oldest ?? null, totals: read.totals ?? noTotals, ended };
}

function parsed(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
