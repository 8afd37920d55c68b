import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { runCommand } from "citty";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { openStore } from "biplane/store";
import { bearerTokens } from "../../packages/biplane/src/governance/access/bearer-tokens.ts";
import type { BearerToken } from "../../packages/biplane/src/governance/access/bearer-tokens.ts";
import { queryAudit } from "../../packages/biplane/src/governance/audit/query.ts";
import { openPeople } from "../../packages/biplane/src/governance/people/people.ts";
import { askPassphrase } from "../../packages/biplane/src/cli/terminal/ask-passphrase.ts";
import { peopleCommand } from "../../packages/biplane/src/cli/people.ts";
import { tokenCommand } from "../../packages/biplane/src/cli/token.ts";
import { passphrase } from "../admin/api/api-server.ts";
import { program } from "../support/project.ts";
import { runHere } from "./command.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-people-"));
});
afterAll(async () => rm(folder, { recursive: true }));

/** Runs `biplane people …` here, and gives what it printed. */
async function people(...words: string[]): Promise<string> {
  const out = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const err = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    await runCommand(peopleCommand, { rawArgs: words });
    return out.mock.calls.map(([text]) => String(text)).join("");
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

/** The same in a process of its own, with something to read. */
async function peopleReading(input: string, ...words: string[]): Promise<string> {
  const child = spawn(process.execPath, [program, "people", ...words]);
  child.stdin.end(input);
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  await once(child, "close");
  return stdout;
}

test("a role and scopes together are refused", async () => {
  const { code, stderr } = await runHere("people", "add", "bob", "--role", "viewer", "--scope", "audit");
  expect([code, stderr]).toEqual([2, expect.stringContaining("Pass either --role or --scope.")]);
});

test("people are added, listed, given tokens and removed from the terminal, and the audit log says so", async () => {
  const file = join(folder, "people.db");
  const at = ["--store", file];
  const added = await peopleReading(`${passphrase}\n`, "add", "Ada", "--scope", "audit,approvals", ...at);
  expect(added).toBe("Added ada.\n");
  expect(await people("list", ...at)).toMatch(/^ada\taudit,approvals\tsince \d{4}-\d\d-\d\d\n$/);
  const token = (await people("token", "ada", "--label", "cron", ...at)).trim();
  await using store = await openStore(file);
  const known = openPeople({ store, cost: { N: 1024, r: 8, p: 1 } });
  expect(await known.byToken(token)).toEqual({ kind: "person", id: "ada", scopes: ["audit", "approvals"] });
  expect(await known.signIn({ name: "ada", passphrase }, "127.0.0.1")).toBeDefined();
  expect(await peopleReading("quite another passphrase\n", "passwd", "ada", ...at)).toMatch(/ended all sessions/);
  await expect(known.signIn({ name: "ada", passphrase }, "127.0.0.1")).rejects.toThrow(/wrong/);
  await people("remove", "ada", ...at);
  await expect(people("remove", "ada", ...at)).rejects.toThrow(/There is no account/);
  expect(await known.byToken(token)).toBeUndefined();
  const lines = await queryAudit(store, { order: "oldest" });
  expect(lines.map((line) => (line.kind === "call" ? [line.tool, line.principal.id] : []))).toEqual([
    ["people/add", "terminal"],
    ["people/new-token", "ada"],
    ["people/passphrase", "terminal"],
    ["people/remove", "terminal"],
  ]);
  expect((await readFile(file)).includes(passphrase)).toBe(false);
});

test("without a store it says what to name", async () => {
  await expect(people("list", "--config", join(folder, "none.yaml"))).rejects.toThrow(/no config file/);
  await expect(people("list")).rejects.toThrow(/--store/);
});

test("at a terminal the passphrase is asked for twice and never shown", async () => {
  const ask = async (...typed: string[]) => {
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const output = new PassThrough();
    let shown = "";
    output.on("data", (chunk: Buffer) => (shown += chunk.toString()));
    const asked = askPassphrase("ada", { input, output });
    for (const line of typed) input.write(`${line}\r`);
    if (typed.length < 2) input.end();
    const said = await asked.catch((error: Error) => error.message);
    return { said, shown };
  };
  expect(await ask(passphrase, passphrase)).toEqual({
    said: passphrase,
    shown: "Passphrase for ada (at least 12 characters): \nRepeat the passphrase: \n",
  });
  expect((await ask(passphrase, "something else")).said).toMatch(/do not match/);
  expect((await ask(passphrase)).said).toMatch(/Nothing was entered/);
});

test("a new token is printed once, with the config line that accepts it", async () => {
  const out = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const err = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  await runCommand(tokenCommand, { rawArgs: ["new", "--id", "ada: #1", "--kind", "trainer", "--scope", "a, b"] });
  const token = String(out.mock.calls[0]?.[0]).trim();
  const told = String(err.mock.calls[0]?.[0]);
  vi.restoreAllMocks();
  expect(told).not.toContain(token);
  const { auth } = parse(told.slice(told.indexOf("auth:"))) as { auth: { tokens: BearerToken[] } };
  const authenticate = bearerTokens(auth.tokens);
  const found = authenticate({ headers: { authorization: `Bearer ${token}` }, address: "" });
  expect(found).toEqual({ kind: "trainer", id: "ada: #1", scopes: ["a", "b"] });
  const wrong = await runHere("token", "new", "--id", "x", "--kind", "person");
  expect(wrong).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("--kind") as string });
});
