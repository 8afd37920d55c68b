import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readKey } from "../../../packages/biplane/src/governance/secrets/key.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-key-"));
});
afterAll(async () => rm(folder, { recursive: true }));

test("makes a key file for its owner alone, and reads it the next time", async () => {
  const file = join(folder, "new", "deep", "secret.key");
  const key = await readKey({ file });
  expect(key).toHaveLength(32);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readFile(file, "utf8")).trim()).toBe(Buffer.from(key).toString("base64"));
  expect(await readdir(join(folder, "new", "deep"))).toEqual(["secret.key"]);
  expect(await readKey({ file })).toEqual(key);
});

test("many that make the file at once get the same key", async () => {
  const file = join(folder, "race.key");
  const keys = await Promise.all(Array.from({ length: 20 }, async () => readKey({ file })));
  expect(new Set(keys.map((key) => Buffer.from(key).toString("hex"))).size).toBe(1);
  expect((await readdir(folder)).filter((name) => name.startsWith("race"))).toEqual(["race.key"]);
});

test("takes base64 and hex from an environment variable, before the file", async () => {
  const bytes = randomBytes(32);
  for (const spelled of [
    bytes.toString("base64"),
    bytes.toString("base64url"),
    bytes.toString("hex"),
    ` ${bytes.toString("hex").toUpperCase()}\n`,
  ]) {
    const key = await readKey({
      file: join(folder, "unused.key"),
      environmentVariable: "KEY",
      environment: { KEY: spelled },
    });
    expect(Buffer.from(key)).toEqual(bytes);
  }
  expect(await readdir(folder)).not.toContain("unused.key");
});

test("uses the file when the variable is not set", async () => {
  const file = join(folder, "fallback.key");
  expect(await readKey({ file, environmentVariable: "KEY", environment: {} })).toEqual(await readKey({ file }));
});

test.each([
  ["nothing to read from", {}, /needs a file or an environment variable/],
  ["an unset variable", { environmentVariable: "KEY", environment: {} }, /KEY is not set/],
  [
    "a bad variable",
    { environmentVariable: "KEY", environment: { KEY: "too-short" } },
    /KEY does not contain 32 bytes/,
  ],
  ["an empty variable", { environmentVariable: "KEY", environment: { KEY: "" } }, /KEY does not contain 32 bytes/],
])("refuses %s", async (_, source, message) => {
  const refusal = readKey(source);
  await expect(refusal).rejects.toMatchObject({ code: "INVALID_DEFINITION", message: expect.stringMatching(message) });
  await expect(refusal).rejects.not.toThrow(/too-short/);
});

test("a damaged or unreadable file is an error and stays as it is", async () => {
  const file = join(folder, "damaged.key");
  await writeFile(file, "half a ke");
  await expect(readKey({ file })).rejects.toThrow(/The key file .*damaged\.key does not contain 32 bytes/);
  expect(await readFile(file, "utf8")).toBe("half a ke");
  await expect(readKey({ file: folder })).rejects.toMatchObject({
    code: "INVALID_DEFINITION",
    message: expect.stringContaining("Cannot read the key file"),
  });
});

test("a file that cannot be made is an error", async () => {
  const inFile = join(folder, "plain");
  await writeFile(inFile, "");
  await expect(readKey({ file: join(inFile, "secret.key") })).rejects.toMatchObject({ code: "INVALID_DEFINITION" });
  const nowhere = join(folder, "nowhere.key");
  await symlink("not-there", nowhere);
  await expect(readKey({ file: nowhere })).rejects.toThrow(/Cannot create the key file .*nowhere\.key/);
});
