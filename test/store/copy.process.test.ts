import { sql } from "kysely";
import { expect, test } from "vitest";
import { randomAgent } from "../../packages/biplane/src/rollout/agent/random.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { scoreTraces, success } from "../../packages/biplane/src/rollout/score/scorer.ts";
import { summarize } from "../../packages/biplane/src/rollout/score/summary.ts";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { openAudit } from "../../packages/biplane/src/governance/audit/audit.ts";
import { verifyAudit } from "../../packages/biplane/src/governance/audit/verify.ts";
import { openPeople } from "../../packages/biplane/src/governance/people/people.ts";
import { copyStore, countRows, tableNames } from "../../packages/biplane/src/store/copy-store.ts";
import { columnTypes, migrations } from "../../packages/biplane/src/store/migrations.ts";
import { rewardOf } from "../../packages/biplane/src/store/runs/rollout-facts.ts";
import { addAnnotation } from "../../packages/biplane/src/store/runs/annotations.ts";
import { findRun } from "../../packages/biplane/src/store/runs/run.ts";
import { figuresOf } from "../../packages/biplane/src/store/runs/run-figures.ts";
import { pageOfTraces } from "../../packages/biplane/src/store/runs/rollout-list.ts";
import { readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { readScores, saveScoring } from "../../packages/biplane/src/store/runs/scores.ts";
import { connectStore, openStore } from "../../packages/biplane/src/store/sql-store.ts";
import type { SqlStore } from "biplane/store";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { entry } from "../governance/audit/fixture.ts";
import { playAll } from "../rollout/playing.ts";
import { describeEngines } from "../support/each-engine.ts";

type AnyRow = Record<string, unknown>;
const ada = { kind: "person", id: "ada", scopes: [] } as const;

/** Data of many kinds. */
async function fill(store: SqlStore): Promise<void> {
  await openPeople({ store, cost: { N: 1024, r: 8, p: 1 } }).add({ name: "ada", passphrase: "correct horse staple" });
  const approvals = openApprovals({ store });
  for (const file of ["a", "b", "c"])
    await approvals.decide({ server: "kit", tool: "run", subject: { file } }, { verdict: "approve" }, ada);
  const audit = openAudit({ store, onFault: (fault) => expect.unreachable(String(fault)) });
  for (let at = 0; at < 1200; at++) void audit.record(entry(String(at)));
  await audit.close();
  await using lake = frozenLake();
  await playAll(lake, seedRows([1, 2, 3, 4]), { agent: randomAgent(), store, run: "a", steps: 5 });
  const scored = await scoreTraces(await readTraces(store, "a"), success);
  await saveScoring(store, "a", { name: "won", scorer: "success", scored, summary: summarize(scored) });
  const [trace] = await readTraces(store, "a");
  const { rollout = "" } = trace ?? {};
  await addAnnotation(store, "a", { rollout, step: 1, verdict: "good", text: "é 😀 \0", author: "ada" });
  for (let at = 0; at < 30; at++) await store.put("notes", `note ${at}`, { text: "é 😀 \0" });
}

describeEngines("a store", ({ open, location }) => {
  test("is copied from SQLite and back, with its decisions, scores and audit chain", async () => {
    await using source = await openStore(":memory:");
    await fill(source);
    const [there, back] = [await open(), await openStore(":memory:")];
    const counts = await copyStore(source, there);
    expect(counts).toMatchObject({ audit: 1200, decisions: 3, runs: 1, rollouts: 4, scores: 4, annotations: 1 });
    await copyStore(there, back);
    expect(await countRows(back)).toEqual(counts);
    for (const table of tableNames) {
      const sorted = async (store: SqlStore) =>
        (await store.db.selectFrom(table).selectAll().execute()).map((row) => JSON.stringify(row)).sort();
      expect(await sorted(there)).toEqual(await sorted(source));
      expect(await sorted(back)).toEqual(await sorted(source));
    }
    expect(await verifyAudit(there)).toEqual(await verifyAudit(source));
    expect((await readScores(there, "a", "won")).size).toBe(4);
    // New rows go on after the copied ones.
    const approvals = openApprovals({ store: there });
    await approvals.decide({ server: "kit", tool: "run", subject: "d" }, { verdict: "reject", reason: "no" }, ada);
    expect((await countRows(there)).decisions).toBe(4);
    await back.close();
  });

  test("goes on where a copy was interrupted, and is not copied over other data", async () => {
    await using source = await openStore(":memory:");
    await fill(source);
    const target = await open();
    const stop = new Error("stop");
    let pages = 0;
    const onProgress = () => {
      if (++pages === 3) throw stop;
    };
    await expect(copyStore(source, target, { onProgress })).rejects.toBe(stop);
    expect((await countRows(target)).audit).toBeLessThanOrEqual(1200);
    const counts = await copyStore(source, target);
    expect(await countRows(target)).toEqual(counts);
    await expect(copyStore(source, target)).rejects.toThrow(/^The store .* is not empty \(audit: 1200 rows\)/);
  });

  test("of a newer program is refused, and one that is up to date is left alone", async () => {
    const store = await open();
    expect(await store.migrate()).toEqual({ from: migrations.length, to: migrations.length });
    const table = store.engine === "postgres" ? "biplane.schema_version" : "schema_version";
    await sql.raw(`update ${table} set version = 99`).execute(store.db);
    await expect(store.migrate()).rejects.toThrow(/was written by a newer Biplane \(tables 99, this one knows \d+\)/);
  });

  test("with the first tables is brought up to date, and keeps its rows", async () => {
    const at = await location();
    await using before = await connectStore(at);
    if (before.engine === "postgres") await sql.raw("create schema biplane").execute(before.db);
    for (const statement of migrations[0]?.(columnTypes[before.engine]) ?? [])
      await sql.raw(statement).execute(before.db);
    const table = columnTypes[before.engine].table("schema_version");
    await sql.raw(`create table ${table} (version integer not null)`).execute(before.db);
    await sql.raw(`insert into ${table} values (1)`).execute(before.db);
    await using filled = await openStore(":memory:");
    await fill(filled);
    for (const name of ["audit", "runs", "rollouts", "trace_events"] as const)
      for (const { masked: _, parts: __, ...row } of await filled.db
        .selectFrom(name)
        .selectAll()
        .$castTo<AnyRow>()
        .execute()) {
        const former = name === "runs" ? { figures_ended: 0 } : {};
        await before.db
          .insertInto(name)
          .values({ ...row, ...former })
          .execute();
      }
    const failed = { ending: "error: model", ending_group: "error", reward: 0 };
    await before.db.updateTable("rollouts").set(failed).where("row_index", "=", 2).execute();
    const rows = await before.db.selectFrom("rollouts").selectAll().orderBy("row_index").execute();
    const store = await open(at);
    const kept = await store.db.selectFrom("rollouts").selectAll().orderBy("row_index").execute();
    expect(kept).toMatchObject(rows.map((row) => ({ ...row, reward: expect.any(Number) as number })));
    expect(kept.map(rewardOf)).toEqual(rows.map(({ reward }, at) => (at === 2 ? null : reward)));
    expect((await figuresOf(store, await findRun(store, "a"))).summary).toMatchObject({ rows: 3, masked: 1 });
    const query = { order: "reward", isDescending: true, limit: 100 } as const;
    expect((await pageOfTraces(store, rows[0]?.run ?? "", query)).rows).toHaveLength(rows.length);
    expect(await verifyAudit(store)).toMatchObject({ ok: true });
  });
});
