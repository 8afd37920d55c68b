import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore } from "biplane/store";
import type { SqlStore } from "biplane/store";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { verifyAudit } from "../../packages/biplane/src/governance/audit/verify.ts";
import { openPeople } from "../../packages/biplane/src/governance/people/people.ts";
import { openSecrets } from "../../packages/biplane/src/governance/secrets/secrets.ts";
import { countRows } from "../../packages/biplane/src/store/copy-store.ts";
import { readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { figuresOf } from "../../packages/biplane/src/store/runs/run-figures.ts";
import { findRun } from "../../packages/biplane/src/store/runs/run.ts";

/** A store that version 0.1 wrote, with data of every kind. */
const fixture = fileURLToPath(new URL("fixtures/store-0.1.db", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "biplane-import-"));
const file = join(folder, "store.db");
let store: SqlStore;

beforeAll(async () => {
  copyFileSync(fixture, file);
  store = await openStore(file);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

test("a store of version 0.1 is converted once, with every record in its table", async () => {
  const counts = await countRows(store);
  expect(counts).toMatchObject({ people: 1, tokens: 1, login_sessions: 1, sign_in_keys: 1, secrets: 1 });
  expect(counts).toMatchObject({ approvals: 5, rejections: 1, runs: 1, rollouts: 10, trace_events: 35, audit: 15 });
  expect(await store.get("notes", "one")).toEqual({ text: "kept" });
  expect(counts.records).toBe(1);
  await using again = await openStore(file);
  expect(await countRows(again)).toEqual(counts);
});

test("its audit log is still one chain", async () => {
  expect(await verifyAudit(store)).toMatchObject({ ok: true, lines: 15 });
});

test("its people log in, and its secrets are read", async () => {
  const people = openPeople({ store });
  const ada = { name: "ada", passphrase: "correct horse battery staple" };
  expect(await people.signIn(ada, "127.0.0.1")).toMatchObject({ principal: { id: "ada", scopes: ["*"] } });
  expect(await people.tokens("ada")).toMatchObject([{ label: "ci" }]);
  const secrets = await openSecrets({ store, key: new Uint8Array(32).fill(7), environment: {} });
  expect(secrets.get("API_KEY")).toBe("a-value-of-some-length");
});

test("its approvals keep their decisions, and what waits still waits", async () => {
  await using approvals = openApprovals({ store, now: () => Date.parse("2026-01-01T00:10:00Z") });
  const all = await approvals.list();
  expect(all.map(({ status, input }) => [status, input])).toEqual([
    ["waiting", { amount: 4 }],
    ["approved", { amount: 3 }],
    ["rejected", { amount: 2 }],
    ["used", { amount: 1 }],
    ["used", { amount: 1 }],
  ]);
  expect(all[2]).toMatchObject({ answeredBy: "person ada", reason: "too much" });
  expect(await approvals.grants()).toMatchObject([{ server: "gateway", tool: "refund", grantedBy: "person ada" }]);
  expect(await approvals.rejections()).toMatchObject([{ subject: { file: "a.star" }, reason: "no" }]);
  const ada = { kind: "person", id: "ada", scopes: [] } as const;
  await approvals.answer([all[0]?.id ?? ""], { verdict: "approve" }, ada);
  expect(await approvals.waiting()).toBe(0);
});

test("its runs have their traces and figures", async () => {
  const run = await findRun(store, "first");
  expect(run).toMatchObject({ name: "baseline", status: "finished", ended: 10, finished: 10, failed: 0, tags: [] });
  const traces = await readTraces(store, "first");
  expect(traces).toHaveLength(10);
  const mean = traces.reduce((sum, { totalReward }) => sum + Number(totalReward), 0) / 10;
  expect((await figuresOf(store, run)).summary.mean).toBeCloseTo(mean, 10);
});

/** A copy of the store of version 0.1, changed by somebody. */
function changedStore(name: string, ...statements: readonly string[]): string {
  const changed = join(folder, name);
  copyFileSync(fixture, changed);
  const database = new DatabaseSync(changed);
  for (const statement of statements) database.exec(statement);
  database.close();
  return changed;
}

test("lines of a trace that are no events are left out", async () => {
  const begin = '{"type":"begin","rollout":"r","messages":[],"faults":[],"index":9}';
  const lines = ["null", "5", "{", "{}", '{"type":"begin","rollout":"x"}', begin, '{"type":"step","rollout":"r"}'];
  const values = lines.map((line, at) => `('traces/hostile', ${at + 1}, '${line}')`);
  const changed = changedStore("lines.db", `insert into log_lines (log, sequence, line) values ${values.join(", ")}`);
  await using opened = await openStore(changed);
  expect(await readTraces(opened, "hostile")).toMatchObject([{ rollout: "r", index: 9, steps: [], messages: [] }]);
});

test.each(["null", "5", "{", "[]"])(
  "a record that is %s fails the conversion, and nothing is changed",
  async (json) => {
    const changed = changedStore(
      `record-${json.codePointAt(0)}.db`,
      `insert into records values ('refusals', 'sha256:1', '${json}')`,
    );
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(openStore(changed)).rejects.toThrow(
        'The store is damaged: the record "refusals/sha256:1" cannot be read',
      );
  },
);
