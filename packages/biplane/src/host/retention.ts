import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { BiplaneError } from "@biplane/core";
import type { Config } from "../config/config-schema.ts";
import { cutAudit, exportsIn } from "../governance/audit/cut-audit.ts";
import type { Logger } from "../observe/logs.ts";
import { pruneStatistics } from "../store/call-statistics.ts";
import { pruneCalls, pruneRuns, pruneTraces } from "../store/prune.ts";
import { isPostgres } from "../store/sql-store.ts";
import type { SqlStore } from "../store/sql-store.ts";

/** What the store keeps for how long, in milliseconds. Kinds without a limit are kept forever. */
export interface Retention {
  readonly calls?: number | undefined;
  readonly traces?: number | undefined;
  readonly runs?: number | undefined;
  /** Older lines are exported to a file in `auditFolder` and cut. */
  readonly audit?: number | undefined;
  readonly auditExports?: number | undefined;
  readonly auditFolder?: string | undefined;
}

/** The `keep` section of a config. */
export function retentionOf({ keep, store }: Pick<Config, "keep" | "store">): Retention {
  if (typeof keep === "string") return { calls: milliseconds(keep), runs: milliseconds(keep) };
  const { calls, traces, runs, audit, auditExports, auditFolder } = keep;
  return {
    calls: milliseconds(calls),
    traces: milliseconds(traces),
    runs: milliseconds(runs),
    audit: milliseconds(audit),
    auditExports: milliseconds(auditExports),
    auditFolder: auditFolder ?? (store === undefined || isPostgres(store) ? undefined : `${store}.audit`),
  };
}

/** False with `keep.calls: none`: only the latest calls are kept, in memory. */
export function storesCalls({ keep, store }: Pick<Config, "keep" | "store">): boolean {
  return store !== undefined && (typeof keep === "string" || keep.calls !== "none");
}

/** How much of each kind was deleted, or would be. */
export type Pruned = Readonly<Record<PrunedKind, number>>;
export type PrunedKind = (typeof prunedKinds)[number];
export const prunedKinds = ["calls", "traces", "runs", "auditLines", "auditExports"] as const;

export interface PruneStoreOptions {
  readonly isDryRun?: boolean;
  readonly now?: number;
  /** Stops between two steps. */
  readonly signal?: AbortSignal | undefined;
}

/** Deletes what is older than the retention says, in small steps. */
export async function pruneStore(
  store: SqlStore,
  retention: Retention,
  { isDryRun = false, now = Date.now(), signal }: PruneStoreOptions = {},
): Promise<Pruned> {
  const { calls, traces, runs } = retention;
  const pause = async () => {
    await nextTurn();
    signal?.throwIfAborted();
  };
  const deleted = async (prune: typeof pruneCalls, keepMs: number | undefined) =>
    keepMs === undefined ? 0 : prune(store, { before: now - keepMs, isDryRun, pause });
  if (calls !== undefined && !isDryRun) await pruneStatistics(store, { now, keepMs: calls });
  return {
    calls: await deleted(pruneCalls, calls),
    runs: await deleted(pruneRuns, runs),
    traces: await deleted(pruneTraces, traces),
    ...(await pruneAudit(store, retention, { isDryRun, now })),
  };
}

export interface RetentionOptions {
  readonly store: SqlStore;
  readonly retention: Retention;
  readonly log: Logger;
  /** Milliseconds until the first time (default: a minute), and between two (default: an hour). */
  readonly firstMs?: number;
  readonly everyMs?: number;
}

/** Prunes a store now and then. */
export function startRetention(options: RetentionOptions): AsyncDisposable {
  const { store, retention, log, firstMs = 60_000, everyMs = 3_600_000 } = options;
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const run = async () => {
    try {
      const pruned = await pruneStore(store, retention, { signal: stop.signal });
      if (Object.values(pruned).some((count) => count > 0)) log.info("Deleted old data", pruned);
    } catch (error) {
      if (!stop.signal.aborted) log.error("Deleting old data failed", { error });
    }
    if (!stop.signal.aborted) schedule(everyMs);
  };
  const schedule = (ms: number) => {
    timer = setTimeout(() => {
      running = run();
    }, ms);
    timer.unref();
  };
  schedule(firstMs);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

function milliseconds(text: string | undefined): number | undefined {
  if (text === undefined || text === "none") return undefined;
  return Number.parseInt(text, 10) * (text.endsWith("h") ? 3_600_000 : dayMs);
}

const dayMs = 86_400_000;

function startOfDay(time: number): number {
  return Math.floor(time / dayMs) * dayMs;
}

async function pruneAudit(
  store: SqlStore,
  { audit, auditExports, auditFolder: folder }: Retention,
  { isDryRun, now }: { isDryRun: boolean; now: number },
): Promise<Pick<Pruned, "auditLines" | "auditExports">> {
  if (audit === undefined && auditExports === undefined) return { auditLines: 0, auditExports: 0 };
  if (folder === undefined)
    throw new BiplaneError("INVALID_DEFINITION", "To cut the audit log of this store, add keep.auditFolder.");
  return {
    // Whole days, so that there is at most one export a day.
    auditLines: audit === undefined ? 0 : await cutAudit(store, { before: startOfDay(now - audit), folder, isDryRun }),
    auditExports:
      auditExports === undefined ? 0 : await deleteExports(folder, { before: now - auditExports, isDryRun }),
  };
}

async function deleteExports(
  folder: string,
  { before, isDryRun }: { before: number; isDryRun: boolean },
): Promise<number> {
  let count = 0;
  for (const name of await exportsIn(folder)) {
    const file = join(folder, name);
    if ((await stat(file)).mtimeMs >= before) continue;
    count++;
    if (!isDryRun) await rm(file);
  }
  return count;
}
