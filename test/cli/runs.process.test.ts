import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runIn } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "biplane-runs-"));
const run = (...words: string[]) => runIn(folder, words);

beforeAll(async () => {
  writeFileSync(
    join(folder, "polite.mjs"),
    "export default ({ steps }) => ({ score: steps.length / 10, reason: `${steps.length} steps`, metrics: { brief: { score: 1, reason: 'ok' } } });\n",
  );
  await run("rollout", "--env", "blackjack", "--agent", "random", "-n", "6", "--repetitions", "2");
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

test("a run is renamed and tagged, and found by both", async () => {
  expect((await run("runs", "rename", "last", "baseline")).stdout).toMatch(/ is named baseline\.\n$/);
  expect((await run("runs", "tag", "baseline", "nightly, slow")).stdout).toMatch(/ has the tags nightly, slow\.\n$/);
  expect((await run("runs", "--tag", "slow")).stdout).toMatch(/baseline .*12\/12 .* nightly slow\n$/);
  expect((await run("runs", "--tag", "fast")).stdout).toBe(
    "No run has the tag fast. Tag one: biplane runs tag last fast\n",
  );
});

test("a run is scored again and again, and every scoring is kept by its name", async () => {
  const polite = await run("score", "last", "--scorer", "./polite.mjs");
  expect([polite.code, polite.stderr]).toEqual([0, ""]);
  expect(polite.stdout).toMatch(/Kept as the scoring polite\.\n$/);
  expect((await run("score", "last", "--scorer", "success", "--name", "won")).stdout).toMatch(/scoring won\.\n$/);
  const { stdout } = await run("export", "last", "--scoring", "polite");
  const rows = stdout.trim().split("\n");
  expect(rows).toHaveLength(12);
  expect(JSON.parse(rows[0] ?? "")).toMatchObject({
    evaluation_result: { reason: expect.stringMatching(/^\d steps$/) as string, metrics: { brief: { score: 1 } } },
  });
  const shown = (await run("show", "last", "--scoring", "polite")).stdout;
  expect(shown).toMatch(/^scoring polite +\d/m);
  expect(shown).toMatch(/^scoring polite: (0\.\d00), \d steps$/m);
  const compared = (await run("compare", "last", "last", "--scoring", "polite")).stdout;
  expect(compared).toContain("Score difference, second − first: 0 ± 0");
  const missing = await run("export", "last", "--scoring", "other");
  expect([missing.code, missing.stderr]).toEqual([
    1,
    expect.stringMatching(/has no scoring "other"\. It has won, polite\.\n$/) as string,
  ]);
});

test("a scorer that fails for every rollout says why and fails the command", async () => {
  writeFileSync(join(folder, "broken.mjs"), 'export default () => { throw new Error("The judge is away"); };\n');
  const reason = /^2 × The scorer failed: The judge is away\nbiplane: The scorer failed for every rollout\.\n$/m;
  const played = await run("rollout", "blackjack", "-n", "2", "--scorer", "./broken.mjs", "--name", "unjudged");
  expect([played.code, played.stderr]).toEqual([1, expect.stringMatching(reason) as string]);
  const again = await run("score", "unjudged", "--scorer", "./broken.mjs");
  expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(reason) as string]);
  await run("runs", "delete", "unjudged");
});

test.each([
  [["--scorer", "./nowhere.mjs"], /File not found: .*nowhere\.mjs/],
  [["--threshold", "high"], /--threshold must be a number/],
])("a rollout with %j is refused before anything is played", async (words, message) => {
  const before = (await run("runs")).stdout;
  const { code, stderr } = await run("rollout", "blackjack", ...words);
  expect([code > 0, stderr]).toEqual([true, expect.stringMatching(message) as string]);
  expect((await run("runs")).stdout).toBe(before);
});

test("a run is exported in every format", async () => {
  const openai = (await run("export", "last", "--format", "openai")).stdout.trim().split("\n");
  const { messages } = JSON.parse(openai[0] ?? "") as { messages: { role: string }[] };
  expect(messages.slice(0, 3).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  const csv = (await run("export", "last", "--format", "csv")).stdout.split("\r\n");
  expect(csv[0]).toMatch(/^run,row,index,repetition,seed,agent,model,score,/);
  expect(csv).toHaveLength(14);
  for (const line of (await run("export", "last", "--format", "trl")).stdout.trim().split("\n").filter(Boolean))
    expect(Object.keys(JSON.parse(line) as object)).toEqual(expect.arrayContaining(["prompt", "chosen", "rejected"]));
  expect((await run("export", "last", "--format", "parquet", "--out", "run.parquet")).code).toBe(0);
  const bytes = readFileSync(join(folder, "run.parquet"));
  const records = await parquetReadObjects({
    file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
  });
  expect(records).toHaveLength(12);
  expect(records[11]).toMatchObject({ row: "seed_5", index: 5, repetition: 1, cost: null, is_score_valid: true });
  const again = await run("export", "last", "--format", "parquet", "--out", "run.parquet");
  expect([again.code, again.stderr]).toEqual([1, "biplane: run.parquet already exists. Choose another file.\n"]);
  expect((await run("export", "last", "--format", "xml")).code).toBe(2);
});

test("a store is checked, migrated and copied", async () => {
  const store = join(".biplane", "rollouts.db");
  const checked = await run("store", "check", "--store", store);
  expect(checked.stdout).toMatch(/rollouts +12\n/);
  expect(checked.stdout).toMatch(/is in order\. Its audit log is intact: 0 lines\.\n$/);
  expect((await run("store", "migrate", "--store", store)).stdout).toMatch(/is up to date \(tables \d+\)\.\n$/);
  expect((await run("store", "copy", store, "copy.db")).stdout).toMatch(/^Copied \d+ rows from .* to copy\.db\./);
  expect((await run("runs", "--store", "copy.db")).stdout).toContain("12/12");
  expect((await run("store", "copy", store, "copy.db")).stderr).toMatch(/The store copy\.db is not empty/);
  expect((await run("store", "check")).code).toBe(1);
});

test("a store of version 0.1 is checked without being converted, and its audit log needs no key", async () => {
  const fixture = new URL("../store/fixtures/store-0.1.db", import.meta.url);
  copyFileSync(fixture, join(folder, "old.db"));
  const checked = await run("store", "check", "--store", "old.db");
  expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining("biplane store migrate")]);
  expect((await run("store", "migrate", "--store", "old.db")).stdout).toMatch(/now has tables \d+, before 0\.\n$/);
  expect((await run("store", "check", "--store", "old.db")).stdout).toMatch(/Its audit log is intact: 15 lines\.\n$/);
  expect((await run("audit", "verify", "--store", "old.db")).stdout).toMatch(/^The audit log is intact: 15 lines\./);
  expect((await run("approvals", "list", "--store", "old.db")).stderr).toMatch(
    /^biplane: The store \S+old\.db has secrets, but their key is missing\. Copy \S+old\.db\.key /,
  );
  expect(existsSync(join(folder, "old.db.key"))).toBe(false);
});

test("a run is deleted with everything that belongs to it", async () => {
  expect((await run("runs", "delete", "last")).stdout).toMatch(/^Deleted .* and its 12 rollouts\.\n$/);
  expect((await run("runs")).stdout).toMatch(/^No runs yet\./);
});
