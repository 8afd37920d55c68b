import { generateKeyPairSync } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  checkpointKey,
  exportRecords,
  openAudit,
  publicCheckpointKey,
  readCheckpoint,
  signCheckpoint,
  verifyAudit,
  verifyRecords,
} from "biplane/governance";
import { canonicalForm, checkRecord } from "../../../packages/biplane/src/governance/audit/audit-record.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { StoreFile, entry } from "./fixture.ts";

const core = {
  event_id: "99999999-9999-9999-9999-999999999999",
  occurred_at: "2026-06-06T12:00:00.000Z",
  principal_id: "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa",
  event_type: "tool_call",
  tool_name: "export",
  outcome: "deferred",
  previous_hash: null,
};
const caller = {
  session_id: "55555555-5555-5555-5555-555555555555",
  invoked_by_principal_id: null,
  purpose_declared: "reconcile June invoices",
  flagged: false,
};
const security = {
  drift_status: "confirmed",
  evidence_hash: "sha256:b2c547e2c8f17eafc72ef5c2d4d7b6b4d0f7437ab52bae573a9af14ff5e2d9be",
  policy_id: "example.org/runtime-drift@3",
  quarantine_decision: "quarantine",
  severity: "high",
};
const oneExtension = "d494769c1ae442ea88dd190068747abf63c0568a3b856f85791b1a50a99d48b4";
const twoExtensions = "f733fed9cc757165f810b778e4baba1f51a45504988e937707aaab4361b2f064";

test("the published records have the published hashes", () => {
  const one = { ...core, extensions: { "caller-governance": caller }, event_hash: oneExtension };
  const two = {
    ...core,
    extensions: { "runtime-security": security, "caller-governance": caller },
    event_hash: twoExtensions,
  };
  expect(checkRecord(one, null)).toEqual({ hash: oneExtension });
  expect(checkRecord(two, null)).toEqual({ hash: twoExtensions });
});

test.each<[string, object, RegExp]>([
  ["without a field", { outcome: undefined }, /neither text/],
  ["with a number", { extensions: { "caller-governance": { ...caller, count: 1 } } }, /neither text/],
  ["with a line break", { tool_name: "a\nb" }, /control characters/],
  ["with half a character", { tool_name: "\ud800" }, /control characters/],
  ["with a long text", { tool_name: "x".repeat(8193) }, /more than 8192/],
  ["with an unknown extension", { extensions: { other: {} } }, /"other" is unknown/],
  ["with the name of a method", { extensions: { constructor: {} } }, /unknown/],
  ["without a purpose", { extensions: { "caller-governance": { flagged: true } } }, /no purpose_declared/],
  ["without extensions", { extensions: {} }, /no extensions/],
  ["that was changed", { outcome: "allowed" }, /was changed/],
  ["that is out of place", { previous_hash: oneExtension }, /was changed/],
])("a record %s is refused", (_, change, why) => {
  const record = { ...core, extensions: { "caller-governance": caller }, event_hash: oneExtension, ...change };
  expect((checkRecord(record, null) as { why: string }).why).toMatch(why);
});

test("equal texts have one form: composed, and without spaces around", () => {
  const form = (tool: string) => canonicalForm({ ...core, extensions: {}, tool_name: tool });
  expect(form(" cafe\u0301 ")).toEqual(form("caf\u00e9"));
  expect(form("")).not.toEqual(canonicalForm({ ...core, extensions: {}, tool_name: null }));
});

test("a log is exported as records that verify, with what governance decided", async () => {
  await using log = await filledLog();
  const { file, store } = log;
  expect(await exportRecords(store, { file })).toMatchObject({
    records: 6,
    canonical_form_version: "audit-record-contract/1",
  });
  expect(await verifyRecords(file)).toEqual({ ok: true, records: 6 });
  const records = (await readFile(file, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(records).toMatchObject([
    { outcome: "allowed", principal_id: "token:ada", tool_name: "customer_find", previous_hash: null },
    { outcome: "denied" },
    { outcome: "deferred", extensions: { "caller-governance": { flagged: true } } },
    { outcome: "allowed", extensions: { "caller-governance": { human_actor_id: "person ada" } } },
    { outcome: "error" },
    { outcome: "allowed", tool_name: "odd\u{FFFD}name" },
  ]);
});

test("a record that was changed, removed or cut off is found", async () => {
  await using log = await filledLog();
  const { file, store, key, publicKey } = log;
  await exportRecords(store, { file, key });
  expect(await verifyRecords(file, { key: publicKey })).toMatchObject({
    ok: true,
    signedAt: expect.any(String) as string,
  });
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  const tamper = async (change: (lines: string[]) => string[]) => {
    await writeFile(
      file,
      change([...lines])
        .map((line) => `${line}\n`)
        .join(""),
    );
    return verifyRecords(file, { key: publicKey });
  };
  expect(await tamper((all) => all.with(1, (all[1] ?? "").replace("denied", "allowed")))).toMatchObject({ at: 2 });
  expect(await tamper((all) => all.toSpliced(1, 1))).toMatchObject({ ok: false, at: 2 });
  expect(await tamper((all) => all.slice(0, -1))).toMatchObject({ ok: false, why: /counts 6 records/ });
  expect(await tamper((all) => all.with(1, "{"))).toMatchObject({ ok: false, at: 2 });
  await expect(tamper(() => ["store: store.db"])).rejects.toThrow("is not an export of the audit log");
  const manifest = JSON.parse(await readFile(`${file}.manifest.json`, "utf8")) as object;
  await writeFile(`${file}.manifest.json`, JSON.stringify({ ...manifest, records: 5 }));
  expect(await tamper((all) => all.slice(0, -1))).toMatchObject({ ok: false, why: /another last record/ });
  await writeFile(`${file}.manifest.json`, "{}");
  expect((await tamper((all) => all)).ok).toBe(false);
});

test("a log that was tampered with is not exported", async () => {
  await using log = await filledLog();
  const { file, store } = log;
  await store.db.updateTable("audit").set({ line: "{}" }).where("sequence", "=", 3).execute();
  await expect(exportRecords(store, { file })).rejects.toThrow("tampered with at line 3");
});

test("a signed checkpoint shows later that the log still has its lines", async () => {
  await using log = await filledLog();
  const { store, key, publicKey } = log;
  const verdict = await verifyAudit(store);
  if (!verdict.ok) return expect.unreachable(verdict.why);
  const { lines, head } = verdict;
  const token = signCheckpoint({ lines, head, time: "2026-01-01T00:00:00.000Z" }, key);
  const { lines: expectedLines, head: expectedHead } = readCheckpoint(`${token}\n`, publicKey);
  expect(await verifyAudit(store, { expectedLines, expectedHead })).toMatchObject({ ok: true });
  await store.db.deleteFrom("audit").where("sequence", "=", lines).execute();
  expect(await verifyAudit(store, { expectedLines, expectedHead })).toMatchObject({ ok: false });
});

test("a checkpoint of another key, changed, or of another kind is refused", async () => {
  await using log = await filledLog();
  const { key, publicKey, folder } = log;
  const token = signCheckpoint({ lines: 1, head: "0".repeat(64), time: "now" }, key);
  const other = generateKeyPairSync("ed25519").publicKey;
  expect(() => readCheckpoint(token, other)).toThrow("not signed with this key");
  const [head, , signature] = token.split(".");
  const body = Buffer.from(JSON.stringify({ lines: 9, head: "0".repeat(64), time: "now" })).toString("base64url");
  expect(() => readCheckpoint(`${head}.${body}.${signature}`, publicKey)).toThrow("not signed with this key");
  for (const junk of ["", "a.b.c", token.replace(/^[^.]+/, "e30")])
    expect(() => readCheckpoint(junk, publicKey)).toThrow("not a checkpoint");
  const wrong = join(folder.path, "rsa.pem");
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await writeFile(wrong, rsa.privateKey.export({ type: "pkcs8", format: "pem" }));
  await expect(checkpointKey(wrong)).rejects.toThrow("Use an Ed25519 key");
});

async function filledLog() {
  const log = await StoreFile.open();
  const folder = await temporaryFolder();
  const audit = openAudit({ store: log.store, onFault: (fault) => expect.unreachable(String(fault)) });
  void audit.record(entry("1"));
  void audit.record(entry("2", { outcome: "POLICY_DENIED", ran: false }));
  void audit.record(entry("3", { outcome: "APPROVAL_PENDING", ran: false, asked: true }));
  void audit.record(entry("4", { outcome: "EXECUTION_ERROR", approvedBy: "person ada" }));
  void audit.record(entry("5", { outcome: "INTERNAL" }));
  void audit.record(entry("6", { tool: "odd\u0007name" }));
  await audit.close();
  const keyFile = join(folder.path, "audit-key.pem");
  const key = await checkpointKey(keyFile);
  const publicKey = await publicCheckpointKey(`${keyFile}.pub`);
  return {
    store: log.store,
    folder,
    file: join(folder.path, "records.jsonl"),
    key,
    publicKey,
    async [Symbol.asyncDispose]() {
      await log[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
