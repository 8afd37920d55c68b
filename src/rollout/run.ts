import { randomBytes } from "node:crypto";
import { BiplaneError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import type { Trace, TraceEvent } from "./trace.ts";
import { traceFrom } from "./trace.ts";
import { logOf } from "./trace-index.ts";
import { jobKey } from "./trace-summary.ts";

/** A run: rows played under one name. Its traces are in the store beside it. */
export interface Run {
  readonly id: string;
  readonly status: "running" | "finished" | "cancelled";
  readonly startedAt: string;
  readonly endedAt: string | undefined;
  readonly target: string;
  readonly agent: string;
  readonly model: string;
  readonly rows: number;
  readonly repetitions: number;
  readonly steps: number;
  readonly concurrency: number;
  readonly version: string;
  readonly pid: number;
  /** What is needed to go on with it, as whoever began it wrote it down. */
  readonly settings: Readonly<Record<string, unknown>> | undefined;
}

const runs = "runs";

/** A name for a run that sorts by time. */
export function newRunId(now = new Date()): string {
  return `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-")}-${randomBytes(2).toString("hex")}`;
}

export async function saveRun(store: Store, run: Run): Promise<void> {
  await store.put(runs, run.id, { ...run });
}

/** A run by its whole name, if there is one. */
export async function getRun(store: Store, id: string): Promise<Run | undefined> {
  return (await store.get(runs, id)) as unknown as Run | undefined;
}

export async function findRun(store: Store, id: string): Promise<Run> {
  const found = await getRun(store, id);
  if (found) return found;
  throw new BiplaneError(
    "INVALID_INPUT",
    `There is no run ${JSON.stringify(id)}; biplane runs lists those that there are`,
  );
}

/** All runs, the newest last. */
export async function listRuns(store: Store): Promise<Run[]> {
  const all: Run[] = [];
  for (let after = ""; ;) {
    const page = await store.list(runs, { after });
    const last = page.at(-1);
    if (!last) return all.sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1)); // names tell only seconds
    all.push(...page.map(([, record]) => record as unknown as Run));
    after = last[0];
  }
}

/** A run whose process is gone although it never ended: it can be resumed. */
export function isInterrupted({ status, pid }: Run): boolean {
  if (status !== "running") return status === "cancelled";
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** The traces of a run, in the order in which they began. A row that was begun anew counts only once, the last time. */
export async function readTraces(store: Store, run: string): Promise<Trace[]> {
  const byRollout = new Map<string, TraceEvent[]>();
  const byJob = new Map<string, string>();
  for await (const event of readEvents(store, run)) {
    const events = byRollout.get(event.rollout);
    if (events) events.push(event);
    else byRollout.set(event.rollout, [event]);
    if (event.type === "begin") byJob.set(jobKey(event), event.rollout);
  }
  return Array.from(byJob.values()).flatMap((rollout) => traceFrom(byRollout.get(rollout) ?? []) ?? []);
}

/** Which rows of a run have been played to their end, as `jobKey` names them. A cancelled one has not. */
export async function finishedJobs(store: Store, run: string): Promise<Set<string>> {
  const finished = new Set<string>();
  for await (const event of readEvents(store, run)) {
    if (event.type === "end" && event.ending.kind !== "cancelled") finished.add(jobKey(event));
  }
  return finished;
}

async function* readEvents(store: Store, run: string): AsyncGenerator<TraceEvent> {
  for (let after = 0; ;) {
    const page = await store.read(logOf(run), { after });
    const last = page.at(-1);
    if (!last) return;
    for (const { line } of page) yield JSON.parse(line) as TraceEvent;
    after = last.sequence;
  }
}
