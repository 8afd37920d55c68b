import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openAudit } from "../../packages/biplane/src/governance/audit/audit.ts";
import { queryAudit } from "../../packages/biplane/src/governance/audit/query.ts";
import { verifyExport } from "../../packages/biplane/src/governance/audit/verify-export.ts";
import { verifyAudit } from "../../packages/biplane/src/governance/audit/verify.ts";
import { pruneStore, startRetention } from "../../packages/biplane/src/host/retention.ts";
import { createLogger } from "../../packages/biplane/src/observe/logs.ts";
import { randomAgent } from "../../packages/biplane/src/rollout/agent/random.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { callIdAt, insertCalls, listCalls } from "../../packages/biplane/src/store/calls.ts";
import { copyStore, countRows } from "../../packages/biplane/src/store/copy-store.ts";
import { readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { describeRun, findRun, listRuns } from "../../packages/biplane/src/store/runs/run.ts";
import type { SqlStore } from "../../packages/biplane/src/store/sql-store.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { entry } from "../governance/audit/fixture.ts";
import { playAll } from "../rollout/playing.ts";
import { describeEngines } from "../support/each-engine.ts";
import { callRow } from "./call-row.ts";

const day = 86_400_000;
const now = Date.UTC(2026, 5, 15, 12);
const folder = mkdtempSync(join(tmpdir(), "biplane-retention-"));
afterAll(() => rmSync(folder, { recursive: true }));

describeEngines("retention", ({ open }) => {
  test("deletes calls that are older, in steps", async () => {
    const store = await open();
    const rows = Array.from({ length: 1300 }, (_, n) => callRow(n, now - (1299 - n) * (day / 100)));
    await insertCalls(store, rows);
    const retention = { calls: 5 * day };
    const old = rows.filter(({ id }) => id < callIdAt(now - 5 * day)).length;
    expect(await pruneStore(store, retention, { now, isDryRun: true })).toMatchObject({ calls: old });
    expect((await countRows(store)).calls).toBe(1300);
    expect(await pruneStore(store, retention, { now })).toMatchObject({ calls: old, runs: 0, auditLines: 0 });
    expect(await pruneStore(store, retention, { now })).toMatchObject({ calls: 0 });
    expect((await listCalls(store, { limit: 1000 })).calls.map(({ id }) => id)).toEqual(
      rows
        .slice(old)
        .map(({ id }) => id)
        .toReversed(),
    );
  });

  test("stops between two steps, and goes on the next time", async () => {
    const store = await open();
    await insertCalls(
      store,
      Array.from({ length: 1300 }, (_, n) => callRow(n, now - day)),
    );
    const stopped = pruneStore(store, { calls: 1 }, { now, signal: AbortSignal.abort() });
    await expect(stopped).rejects.toThrow(/aborted/);
    expect((await countRows(store)).calls).toBe(800);
    expect(await pruneStore(store, { calls: 1 }, { now })).toMatchObject({ calls: 800 });
  });

  test("deletes old runs, or only their traces, but none that is tagged keep or being played", async () => {
    const store = await open();
    for (const run of ["old", "tagged", "new", "playing"]) await play(store, run);
    for (const [run, at] of [
      ["old", 40],
      ["tagged", 40],
      ["new", 1],
      ["playing", 40],
    ] as const)
      await store.db
        .updateTable("runs")
        .set({ ended_at: now - at * day })
        .where("id", "=", run)
        .execute();
    await store.db
      .updateTable("runs")
      .set({ status: "running", ended_at: null, started_at: 0 })
      .where("id", "=", "playing")
      .execute();
    await describeRun(store, "tagged", { tags: ["keep"] });
    expect(await pruneStore(store, { traces: 30 * day }, { now, isDryRun: true })).toMatchObject({
      traces: 1,
      runs: 0,
    });
    expect(await pruneStore(store, { traces: 30 * day }, { now })).toMatchObject({ traces: 1, runs: 0 });
    expect(await readTraces(store, "old")).toEqual([]);
    expect(await findRun(store, "old")).toMatchObject({ ended: 12 });
    expect(await readTraces(store, "tagged")).toHaveLength(12);
    expect(await pruneStore(store, { traces: 30 * day }, { now })).toMatchObject({ traces: 0 });
    expect(await pruneStore(store, { runs: 30 * day }, { now })).toMatchObject({ runs: 1 });
    expect((await listRuns(store)).map(({ id }) => id).sort()).toEqual(["new", "playing", "tagged"]);
    expect((await countRows(store)).rollouts).toBe(36);
  });

  test("exports audit lines before it cuts them, and the rest verifies from there on", async () => {
    const store = await open();
    await writeLines(store, 2500);
    const before = await verifyAudit(store);
    const all = (await store.audit.read({ limit: 2500 })).map(({ line }) => line);
    const at = mkdtempSync(join(folder, "audit-"));
    const retention = { audit: 10 * day, auditFolder: at };
    const dry = await pruneStore(store, retention, { now, isDryRun: true });
    expect(dry.auditLines).toBeGreaterThan(1000);
    expect(readdirSync(at)).toEqual([]);
    expect((await pruneStore(store, retention, { now })).auditLines).toBe(dry.auditLines);
    const [name = "", ...more] = readdirSync(at);
    expect(more).toEqual([]);
    const file = join(at, name);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readFileSync(file, "utf8").split("\n").slice(0, -1)).toEqual(all.slice(0, dry.auditLines));
    expect(await verifyExport(file)).toMatchObject({ ok: true, lines: dry.auditLines });

    const after = await verifyAudit(store);
    expect(after).toMatchObject({ ok: true, lines: 2501, cut: { first: 1, through: dry.auditLines, file } });
    expect(before.ok && (await verifyAudit(store, { expectedLines: before.lines, expectedHead: before.head })).ok).toBe(
      true,
    );
    const [cut] = await queryAudit(store, { tool: "audit/cut" });
    expect(cut).toMatchObject({ input: { first: 1, through: dry.auditLines, file } });
    expect(await queryAudit(store, { limit: 5000 })).toHaveLength(2501 - dry.auditLines);
    expect(await pruneStore(store, retention, { now })).toMatchObject({ auditLines: 0 });

    const second = await pruneStore(store, retention, { now: now + 3 * day });
    expect(second.auditLines).toBeGreaterThan(0);
    const names = readdirSync(at).sort();
    for (const each of names) expect(await verifyExport(join(at, each))).toMatchObject({ ok: true });
    expect(await verifyAudit(store)).toMatchObject({ ok: true, lines: 2502 });
    const other = await open();
    await copyStore(store, other);
    expect(await verifyAudit(other)).toEqual(await verifyAudit(store));
  });

  test("leaves a log alone that was tampered with, and an export that was changed is found out", async () => {
    const store = await open();
    await writeLines(store, 100);
    const at = mkdtempSync(join(folder, "audit-"));
    const retention = { audit: 10 * day, auditFolder: at };
    await pruneStore(store, retention, { now });
    const [name = ""] = readdirSync(at);
    const text = readFileSync(join(at, name), "utf8");
    writeFileSync(join(at, name), text.replace("Grace", "Eve"));
    expect(await verifyExport(join(at, name))).toMatchObject({ ok: false, at: 1 });
    writeFileSync(join(at, name), text.split("\n").slice(0, -2).join("\n"));
    expect(await verifyExport(join(at, name))).toMatchObject({
      ok: false,
      why: expect.stringContaining("ends before"),
    });
    const [first] = await store.audit.read({ limit: 1 });
    await store.db
      .updateTable("audit")
      .set({ line: String(first?.line).replace("Grace", "Eve") })
      .where("sequence", "=", first?.sequence ?? 0)
      .execute();
    await expect(pruneStore(store, retention, { now: now + 9 * day })).rejects.toThrow(
      /was not cut, because it was tampered with/,
    );
    expect(readdirSync(at)).toEqual([name]);
  });

  test("deletes exports that are older", async () => {
    const store = await open();
    await writeLines(store, 100);
    const at = mkdtempSync(join(folder, "audit-"));
    const retention = { audit: 10 * day, auditFolder: at, auditExports: 365 * day };
    await pruneStore(store, retention, { now });
    const [name = ""] = readdirSync(at);
    writeFileSync(join(at, "notes.txt"), "");
    for (const each of [name, "notes.txt"]) utimesSync(join(at, each), 0, (now - 366 * day) / 1000);
    expect(await pruneStore(store, retention, { now, isDryRun: true })).toMatchObject({ auditExports: 1 });
    expect(await pruneStore(store, retention, { now })).toMatchObject({ auditExports: 1 });
    expect(readdirSync(at)).toEqual(["notes.txt"]);
  });

  test("is applied by a server by itself, again and again", async () => {
    const store = await open();
    const log = createLogger({ level: "error", format: "json" });
    await using _ = startRetention({ store, retention: { calls: day }, log, firstMs: 1, everyMs: 1 });
    for (let round = 0; round < 2; round++) {
      await insertCalls(store, [callRow(round, 0), callRow(10 + round, Date.now())]);
      await expect.poll(async () => (await countRows(store)).calls).toBe(round + 1);
    }
  });
});

async function play(store: SqlStore, run: string): Promise<void> {
  await using lake = frozenLake();
  await playAll(lake, seedRows([1, 2, 3, 4]), { agent: randomAgent(), store, run, repetitions: 3 });
}

/** Lines of the last 20 days. */
async function writeLines(store: SqlStore, count: number): Promise<void> {
  await using audit = openAudit({ store, onFault: (fault) => expect.unreachable(String(fault)) });
  for (let n = 0; n < count; n++)
    void audit.record(entry(String(n), { time: now - 20 * day + (n * 20 * day) / count }));
}
