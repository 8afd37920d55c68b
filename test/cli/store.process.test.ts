import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openStore } from "biplane/store";
import { openAudit } from "../../packages/biplane/src/governance/audit/audit.ts";
import { insertCalls } from "../../packages/biplane/src/store/calls.ts";
import { entry } from "../governance/audit/fixture.ts";
import { callRow } from "../store/call-row.ts";
import { runHere } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "biplane-prune-"));
const file = join(folder, "store.db");
const config = join(folder, "biplane.yaml");
afterAll(() => rmSync(folder, { recursive: true }));

test("store prune counts, then deletes what is old, and audit verify checks the log and the export", async () => {
  const day = 86_400_000;
  {
    await using store = await openStore(file);
    await insertCalls(store, [callRow(1, Date.now() - 40 * day), callRow(2, Date.now())]);
    await using audit = openAudit({ store, onFault: (fault) => expect.unreachable(String(fault)) });
    for (const age of [400, 399, 1, 0]) void audit.record(entry(String(age), { time: Date.now() - age * day }));
  }
  writeFileSync(config, "store: store.db\nkeep:\n  audit: 365d\n");
  const dry = await runHere("store", "prune", "--config", config, "--dry-run");
  expect(dry.stdout).toMatch(/would be deleted[^]*calls +1\n[^]*audit lines \(exported first\) +2\n/);
  expect(readdirSync(folder)).not.toContain("store.db.audit");
  const pruned = await runHere("store", "prune", "--config", config);
  expect(pruned.stdout).toMatch(/calls +1\n[^]*audit lines \(exported first\) +2\n/);
  const verified = await runHere("audit", "verify", "--config", config);
  expect(verified.stdout).toMatch(/Lines up to 2 were exported to .*\n.*intact: 5 lines/);
  const [name = ""] = readdirSync(`${file}.audit`);
  const exported = await runHere("audit", "verify", join(`${file}.audit`, name));
  expect(exported.stdout).toMatch(/^The export is intact, up to line 2 /);
  expect((await runHere("audit", "verify", config)).stderr).toContain("is not an export of the audit log");
});

test.each([
  ["keep: 30", /keep must be text or a group of keys.*, not a number/],
  ["keep: 30 days", /keep must be a number of days or hours, such as 30d or 12h/],
  ["keep:\n  calls: 0d", /keep\.calls must be a number of days or hours, such as 30d or 12h, or none/],
  ["keep:\n  call: 3d", /keep\.call .*calls/],
  ["keep:\n  audit: 3d\nstore: postgres://biplane@127.0.0.1:1/none", /keep lacks auditFolder/],
])("%j is refused in words", async (text, why) => {
  writeFileSync(config, `${text}\n`);
  const { code, stderr } = await runHere("store", "prune", "--config", config);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(why);
});
