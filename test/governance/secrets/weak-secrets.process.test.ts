import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runIn } from "../../cli/command.ts";
import { biplane } from "../../support/project.ts";
import { weakSecret } from "../../../packages/biplane/src/governance/secrets/weak-secret.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-weak-"));
  await writeFile(join(folder, "biplane.yaml"), config);
});
afterAll(() => rm(folder, { recursive: true }));

const config = `listen: http://127.0.0.1:0
environments: [frozen-lake]
secrets: { values: { SHORT: "\${SHORT}", STRONG: "\${STRONG}" } }
auth: { tokens: [{ id: ada, token: "\${ADA}" }, { id: bob, token: "\${BOB}" }] }
`;
const env = {
  SHORT: "hunter22",
  STRONG: randomBytes(24).toString("base64url"),
  ADA: "abababababababababababab",
  BOB: randomBytes(24).toString("base64url"),
};
const short = "The secret SHORT has 8 characters, which can be guessed. Use at least 16 random ones.";
const few = "The token of ada has only 2 different characters. Use a random value.";
const values = new RegExp(Object.values(env).join("|"));
const words = (text: string) => text.replaceAll(/\s+/g, " ");

test("random values are strong; short ones and repeated characters are not", () => {
  for (let round = 0; round < 1000; round++) expect(weakSecret(randomBytes(12).toString("base64url"))).toBeUndefined();
  expect(weakSecret("x".repeat(15))).toMatch(/^has 15 characters/);
  expect(weakSecret("correct-horse-battery")).toBeUndefined();
  expect(weakSecret("12312312312312312312")).toMatch(/^has only 3 different characters/);
});

test("config check warns of weak secrets and tokens, and the config is still valid", async () => {
  const { code, stdout, stderr } = await runIn(folder, ["config", "check"], env);
  expect(code).toBe(0);
  expect(stderr.trim().split("\n")).toEqual([`warning: ${short}`, `warning: ${few}`]);
  expect(stdout + stderr).not.toMatch(values);
});

test("doctor notes them", async () => {
  const { stdout } = await runIn(folder, ["doctor"], env);
  for (const warning of [short, few]) expect(words(stdout)).toContain(`note secrets ${warning}`);
  expect(stdout).not.toMatch(values);
});

test("a server that starts logs them", async () => {
  const { stderr } = await biplane(["serve", "--stdio"], { cwd: folder, env });
  for (const warning of [short, few]) expect(stderr).toMatch(new RegExp(`warn.*${warning}`, "i"));
  expect(stderr).not.toMatch(values);
});

test("secrets set stores a weak secret with a warning", async () => {
  const store = join(folder, "store.db");
  const args = ["secrets", "set", "PIN", "--store", store];
  const { code, stderr } = await biplane(args, { cwd: folder, env, input: "12345678\n" });
  expect(code).toBe(0);
  expect(stderr).toBe("warning: The secret PIN has 8 characters, which can be guessed. Use at least 16 random ones.\n");
  const check = await runIn(folder, ["config", "check"], { ...env, BIPLANE_STORE: store });
  expect(check.stderr).toContain("The secret PIN has 8 characters");
});
