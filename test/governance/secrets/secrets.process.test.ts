import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore } from "biplane/store";
import type { SqlStore } from "biplane/store";
import { openSecrets } from "../../../packages/biplane/src/governance/secrets/secrets.ts";

const key = randomBytes(32);
const environment = {};
let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-secrets-"));
});
afterAll(async () => rm(folder, { recursive: true }));
const newFile = () => join(folder, `${files++}.db`);

test("keeps secrets over a restart, and nowhere in plain text", async () => {
  const file = newFile();
  const value = "päss-wörd-in-the-clear";
  {
    await using store = await openStore(file);
    const secrets = await openSecrets({ store, key, environment, now: () => new Date(0) });
    expect(secrets.names()).toEqual([]);
    await secrets.set("ZULU", "another-value");
    await secrets.set("DB_PASSWORD", value);
    await secrets.set("DB_PASSWORD", `${value}!`);
    expect(secrets.get("DB_PASSWORD")).toBe(`${value}!`);
  }
  await using store = await openStore(file);
  const secrets = await openSecrets({ store, key, environment });
  expect(secrets.get("DB_PASSWORD")).toBe(`${value}!`);
  expect(secrets.get("MISSING")).toBeUndefined();
  const updatedAt = "1970-01-01T00:00:00.000Z";
  expect(secrets.names()).toMatchObject([
    { name: "DB_PASSWORD", source: "store", updatedAt },
    { name: "ZULU", source: "store", updatedAt },
  ]);
  const bytes = Buffer.concat([await readFile(file), await readFile(`${file}-wal`)]);
  expect(bytes.includes("DB_PASSWORD")).toBe(true);
  for (const form of ["utf8", "base64", "hex"] as const) {
    expect(bytes.includes(Buffer.from(value).toString(form).slice(0, 12))).toBe(false);
  }
});

test("what was set is there after a kill", async () => {
  const file = newFile();
  const source = (path: string) =>
    JSON.stringify(fileURLToPath(new URL(`../../../packages/biplane/src/${path}`, import.meta.url)));
  const script = `
    import { openStore } from ${source("store/sql-store.ts")};
    import { openSecrets } from ${source("governance/secrets/secrets.ts")};
    const key = Buffer.from("${key.toString("hex")}", "hex");
    const secrets = await openSecrets({ store: await openStore(${JSON.stringify(file)}), key, environment: {} });
    await secrets.set("KEPT", "here-to-stay");
    process.kill(process.pid, "SIGKILL");
  `;
  expect(() =>
    execFileSync(process.execPath, [
      "--conditions=biplane-source",
      "--import",
      "tsx",
      "--input-type=module",
      "-e",
      script,
    ]),
  ).toThrow(/SIGKILL|Command failed/);
  await using store = await openStore(file);
  const secrets = await openSecrets({ store, key, environment });
  expect(secrets.get("KEPT")).toBe("here-to-stay");
});

test("the environment goes before the store and is not changed by it", async () => {
  await using store = await openStore(newFile());
  const environment = { BIPLANE_SECRET_TOKEN: "from-the-environment", PATH: "/bin", BIPLANE_OTHER: "x" };
  const secrets = await openSecrets({ store, key, environment });
  await secrets.set("TOKEN", "from-the-store");
  expect(secrets.get("TOKEN")).toBe("from-the-environment");
  expect(secrets.names()).toMatchObject([{ name: "TOKEN", source: "environment" }]);
  expect(secrets.redactor().text("from-the-store from-the-environment")).toBe("[REDACTED:TOKEN] [REDACTED:TOKEN]");
  expect(await secrets.delete("TOKEN")).toBe(true);
  expect(await secrets.delete("TOKEN")).toBe(false);
  expect(secrets.get("TOKEN")).toBe("from-the-environment");
});

test.each([
  [{ BIPLANE_SECRET_token: "long-enough" }, /"token" is not a valid secret name/],
  [{ BIPLANE_SECRET_TOKEN: "short" }, /The secret TOKEN must have 8 to 4096 characters/],
])("refuses to start with %j", async (environment, message) => {
  await using store = await openStore(":memory:");
  await expect(openSecrets({ store, key, environment })).rejects.toMatchObject({
    code: "INVALID_DEFINITION",
    message: expect.stringMatching(message),
  });
});

test.each(["lower", "1ST", "_X", "", "A-B", "A B", "A\n", "ÄRGER", "A".repeat(65), "__proto__"])(
  "%j is no name",
  async (name) => {
    await using store = await openStore(":memory:");
    const secrets = await openSecrets({ store, key, environment });
    await expect(secrets.set(name, "long-enough")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(secrets.delete(name)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(secrets.get(name)).toBeUndefined();
  },
);

test("values have 8 to 4096 characters, and no message reveals them", async () => {
  await using store = await openStore(":memory:");
  const secrets = await openSecrets({ store, key, environment });
  for (const value of ["", "1234567", "x".repeat(4097), "half-a-pair-\ud800"]) {
    const refusal = await secrets.set("A", value).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "INVALID_INPUT", message: expect.stringContaining("The secret A must") });
    if (value) expect(String(refusal)).not.toContain(value);
  }
  for (const value of ["12345678", "x".repeat(4096), "\0\n\r\u2028 🔑 "]) {
    await secrets.set("A", value);
    expect(secrets.get("A")).toBe(value);
  }
});

test("with another key, it says which secrets cannot be read", async () => {
  await using store = await openStore(newFile());
  const secrets = await openSecrets({ store, key, environment });
  await secrets.set("FIRST", "value-number-one");
  await secrets.set("SECOND", "value-number-two");
  const refusal = openSecrets({ store, key: randomBytes(32), environment });
  await expect(refusal).rejects.toMatchObject({
    code: "INVALID_DEFINITION",
    message: expect.stringMatching(/^Cannot decrypt FIRST, SECOND\. Either the key/),
  });
  await expect(refusal).rejects.not.toThrow(/value-number/);
});

test.each<[string, (record: Record<string, string>) => object]>([
  ["a changed byte", (record) => ({ ...record, sealed: flipped(record["sealed"] ?? "") })],
  ["a changed nonce", (record) => ({ ...record, nonce: flipped(record["nonce"] ?? "") })],
  ["a changed time", (record) => ({ ...record, updatedAt: "2000-01-01T00:00:00.000Z" })],
  ["a cut record", (record) => ({ ...record, sealed: (record["sealed"] ?? "").slice(0, 12) })],
  ["a missing field", ({ sealed, updatedAt }) => ({ version: 1, sealed, updatedAt })],
  ["a later version", (record) => ({ ...record, version: 2 })],
  ["plain text", () => ({ value: "plain-value" })],
])("finds %s", async (_, tamper) => {
  await using store = await openStore(newFile());
  await (await openSecrets({ store, key, environment })).set("VICTIM", "plain-value");
  const record = await sealed(store, "VICTIM");
  await store.db
    .updateTable("secrets")
    .set({ sealed: JSON.stringify(tamper(record)) })
    .execute();
  await expect(openSecrets({ store, key, environment })).rejects.toThrow(/^Cannot decrypt VICTIM/);
});

test("records cannot trade places", async () => {
  await using store = await openStore(newFile());
  const secrets = await openSecrets({ store, key, environment });
  await secrets.set("HIGH", "value-of-the-high");
  await secrets.set("LOW", "value-of-the-low");
  const high = JSON.stringify(await sealed(store, "HIGH"));
  await store.db.updateTable("secrets").set({ sealed: high }).where("name", "=", "LOW").execute();
  await expect(openSecrets({ store, key, environment })).rejects.toThrow(/^Cannot decrypt LOW\./);
});

test("the same value is never sealed the same way twice", async () => {
  await using store = await openStore(":memory:");
  const secrets = await openSecrets({ store, key, environment });
  const nonces = new Set<unknown>();
  for (let i = 0; i < 20; i++) {
    await secrets.set("A", "same-value");
    nonces.add((await sealed(store, "A"))["nonce"]);
  }
  expect(nonces.size).toBe(20);
});

test("each change is reported, and the redactor applies it at once", async () => {
  await using store = await openStore(":memory:");
  const secrets = await openSecrets({ store, key, environment });
  const told: string[] = [];
  const stop = secrets.onChange(() => told.push(secrets.redactor().text("value-one value-two")));
  expect(secrets.redactor().isEmpty).toBe(true);
  await secrets.set("A", "value-one");
  expect(secrets.redactor()).toBe(secrets.redactor());
  await secrets.set("A", "value-two");
  await secrets.delete("A");
  await secrets.delete("A");
  stop();
  await secrets.set("B", "value-three");
  expect(told).toEqual(["[REDACTED:A] value-two", "[REDACTED:A] [REDACTED:A]", "[REDACTED:A] [REDACTED:A]"]);
  expect(secrets.get("A")).toBeUndefined();
});

test("a change of another process is there after a reload", async () => {
  const file = newFile();
  await using store = await openStore(file);
  await using otherStore = await openStore(file);
  const secrets = await openSecrets({ store, key, environment });
  const other = await openSecrets({ store: otherStore, key, environment });
  let changes = 0;
  secrets.onChange(() => changes++);
  await other.set("A", "from-elsewhere");
  expect(secrets.get("A")).toBeUndefined();
  await secrets.reload();
  await secrets.reload();
  expect(secrets.get("A")).toBe("from-elsewhere");
  expect(changes).toBe(1);
});

test("of many changes at once, the last holds in memory and in the store", async () => {
  await using store = await openStore(":memory:");
  const secrets = await openSecrets({ store, key, environment });
  await Promise.all(Array.from({ length: 10 }, (_, i) => secrets.set("A", `value-number-${i}`)));
  expect(secrets.get("A")).toBe("value-number-9");
  expect((await openSecrets({ store, key, environment })).get("A")).toBe("value-number-9");
});

test("a change that could not be stored did not happen", async () => {
  await using store = await openStore(":memory:");
  const secrets = await openSecrets({ store, key, environment });
  await secrets.set("A", "first-value");
  await store.db.schema.alterTable("secrets").renameTo("lost").execute();
  await expect(secrets.set("A", "second-value")).rejects.toThrow("no such table");
  expect(secrets.get("A")).toBe("first-value");
});

test("reads more secrets than a page of the store holds", async () => {
  await using store = await openStore(":memory:");
  const secrets = await openSecrets({ store, key, environment });
  for (let i = 0; i < 1100; i++) await secrets.set(`S${i}`, `value-number-${i}`);
  const again = await openSecrets({ store, key, environment });
  expect(again.names()).toHaveLength(1100);
  expect(again.redactor().text("(value-number-1099)")).toBe("([REDACTED:S1099])");
});

test("refuses a key of another length", async () => {
  await using store = await openStore(":memory:");
  await expect(openSecrets({ store, key: randomBytes(16), environment })).rejects.toThrow(/32 bytes, not 16/);
});

function flipped(base64: string): string {
  const bytes = Buffer.from(base64, "base64");
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return bytes.toString("base64");
}

/** A secret as it is stored. */
async function sealed({ db }: SqlStore, name: string): Promise<Record<string, string>> {
  const secrets = db.selectFrom("secrets").select("sealed");
  const row = await secrets.where("name", "=", name).executeTakeFirstOrThrow();
  return JSON.parse(row.sealed) as Record<string, string>;
}

test("says when a secret was last used, also after a restart, and when it should be replaced", async () => {
  const file = newFile();
  let now = Date.parse("2026-06-01T00:00:00Z");
  const open = (store: Awaited<ReturnType<typeof openStore>>) =>
    openSecrets({ store, key, environment: {}, now: () => new Date(now) });
  {
    await using store = await openStore(file);
    const secrets = await open(store);
    await secrets.set("TOKEN", "long-enough-value", { rotateDays: 30 });
    expect(secrets.peek("TOKEN")).toBe("long-enough-value");
    expect(secrets.names()).toEqual([
      { name: "TOKEN", source: "store", updatedAt: "2026-06-01T00:00:00.000Z", rotateDays: 30 },
    ]);
    now += 60_000;
    secrets.get("TOKEN");
    await secrets.reload();
  }
  await using store = await openStore(file);
  const again = await open(store);
  expect(again.names()).toMatchObject([{ lastUsedAt: "2026-06-01T00:01:00.000Z", rotateDays: 30 }]);
  await again.set("TOKEN", "another-long-value");
  expect(again.names()).toMatchObject([{ rotateDays: 30 }]);
  await again.set("TOKEN", "another-long-value", { rotateDays: null });
  expect(again.names()[0]).not.toHaveProperty("rotateDays");
});
