/**
 * The store: CPU time of each kind of write and read on SQLite, compared with prepared statements of one's own for the
 * same amount of rows, and on Postgres beside it. Then pages of a run with very many rollouts.
 *
 *   npm run bench:store      BENCH_ROUNDS, BENCH_SCALE and BENCH_ROLLOUTS set the amount
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needsPostgres, startPostgres } from "../test/support/postgres.ts";
import { median, ratio, table } from "./mcp/figures.ts";
import { isMissed } from "./mcp/verdict.ts";
import type { Bound } from "./mcp/verdict.ts";
import { measurePages } from "./store/pages.ts";
import { openPeer, openSubject } from "./store/subject.ts";
import type { StoreSubject } from "./store/subject.ts";
import { workloads } from "./store/workloads.ts";

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5);
const scale = Number(process.env["BENCH_SCALE"] ?? 1);
const rollouts = Number(process.env["BENCH_ROLLOUTS"] ?? 1_000_000);

/** What the tables, their indexes and the hashes of the audit log may cost, compared with a plain table. */
const maxRatios: Readonly<Record<string, number>> = {
  record_write: 6,
  record_read: 15,
  audit_group: 4,
  audit_strict: 7,
  calls_group: 4,
  approval_and_grant: 24,
  rollout_with_trace: 7,
};

const folder = mkdtempSync(join(tmpdir(), "biplane-bench-store-"));
const postgres = needsPostgres.skip ? undefined : await startPostgres({ isDurable: true });
const ratios: Record<string, number> = {};
const bounds: Record<string, Bound> = {};
try {
  const subjects = [await openSubject("sqlite", join(folder, "store.db"))];
  if (postgres) subjects.push(await openSubject("postgres", await postgres.database()));
  await measureKinds(subjects);
  for (const subject of subjects) await measurePagesOf(subject);
  for (const { store } of subjects) await store.close();
} finally {
  await postgres?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}
const missed = Object.entries(bounds).filter(([name, bound]) => isMissed(ratios[name], bound));
for (const [name] of missed) process.stdout.write(`Missed: ${name} is ${ratios[name]}\n`);
process.stdout.write(`${JSON.stringify({ bench: "store", ratios, bounds })}\n`);
if (missed.length > 0) process.exitCode = 1;

/** Kinds in interleaved rounds, so that each is measured under the same load. */
async function measureKinds(subjects: readonly StoreSubject[]): Promise<void> {
  const peer = openPeer(join(folder, "peer.db"));
  const kinds = workloads(scale).map((workload) => ({ workload, figures: new Map<string, number[]>() }));
  for (let round = 0; round <= rounds; round++) {
    process.stderr.write(round === 0 ? "Warming up …\n" : `Round ${round} of ${rounds} …\n`);
    for (const { workload, figures } of kinds) {
      const add = (name: string, cpuMs: number) => {
        if (round > 0) figures.set(name, [...(figures.get(name) ?? []), (cpuMs * 1000) / workload.count]);
      };
      for (const subject of round % 2 === 0 ? subjects.toReversed() : subjects) {
        const before = subject.cpuMs();
        await workload.run(subject.store, round);
        add(subject.name, subject.cpuMs() - before);
      }
      const before = process.cpuUsage();
      workload.peer?.(peer, round);
      const { user, system } = process.cpuUsage(before);
      if (workload.peer) add("peer", (user + system) / 1000);
    }
  }
  peer.close();
  const columns = [...subjects.map(({ name }) => name), "peer"];
  const rows = kinds.map(({ workload: { name }, figures }) => [
    name,
    ...columns.map((column) => (figures.has(column) ? median(figures.get(column) ?? []).toFixed(1) : "–")),
  ]);
  process.stdout.write(`\nCPU microseconds each, with the database\n\n${table(["kind", ...columns], rows)}\n\n`);
  for (const { workload, figures } of kinds) {
    const [ours, theirs] = [figures.get("sqlite"), figures.get("peer")];
    if (!ours || !theirs) continue;
    ratios[`${workload.name}_vs_plain`] = round(ratio({ rounds: ours }, { rounds: theirs }));
    const max = maxRatios[workload.name];
    if (max !== undefined) bounds[`${workload.name}_vs_plain`] = { max };
  }
}

/** Pages of any order and filter of a large run. */
async function measurePagesOf(subject: StoreSubject): Promise<void> {
  const { worst, slowest, megabytes } = await measurePages(subject, rollouts);
  process.stdout.write(
    `${subject.name}: the slowest of the pages of ${rollouts} rollouts (${slowest}) took ${worst.toFixed(1)} ms of CPU time; memory grew by ${megabytes.toFixed(0)} MB\n`,
  );
  ratios[`${subject.name}_page_ms`] = round(worst);
  ratios[`${subject.name}_page_mb`] = round(megabytes);
  bounds[`${subject.name}_page_ms`] = { max: 100 };
  bounds[`${subject.name}_page_mb`] = { max: 64 };
}

function round(value: number): number {
  return Number(value.toFixed(3));
}
