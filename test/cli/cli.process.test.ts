import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { runHere } from "./command.ts";

const program = fileURLToPath(new URL("../../packages/biplane/dist/main.js", import.meta.url));
const run = (...words: string[]) =>
  promisify(execFile)(process.execPath, [program, ...words]).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );

test("--help says what there is", async () => {
  const { code, stdout } = await run("--help");
  expect(code).toBe(0);
  expect(stdout).toContain("serve");
  expect(stdout).toContain("demo");
});

test("the program ends with the exit code of an error, and says it on standard error alone", async () => {
  expect(await run("serve")).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(/^biplane: Nothing/) });
  expect(await run("nonsense")).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/^biplane: Unk/) });
});

test.each([
  [["serve"], /Nothing to serve/],
  [["serve", "not-there.ts"], /File not found: .*not-there\.ts/],
  [
    ["serve", fileURLToPath(import.meta.url).replace("cli.process.test.ts", "no-server.mjs")],
    /has no server or environment as its default export/,
  ],
  [["serve", "--env", "nonsense"], /"nonsense", which is not in the gallery; there are frozen-lake/],
  [["demo", "--url", "nonsense"], /listen must be stdio, http:\/\/host:port or ws:\/\/host:port/],
  [["demo", "--url", "http://0.0.0.0:0"], /authenticate/],
])("%s ends with one clear line", async (words, message) => {
  const { code, stderr } = await runHere(...words);
  expect(code).toBe(1);
  expect(stderr).toMatch(message);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test.each([
  [["nonsense"], /Unknown command/],
  [["serve", "--prot", "1"], /Unknown option --prot/],
  [["rollout", "-n", "many"], /-n must be a whole number/],
  [["image"], /Pass a file or --env/],
  [["image", "not-there.ts"], /"not-there\.ts" is not a file\. Pass the module/],
  [["image", "test"], /"test" is not a file/],
  [["image", "taxi"], /"taxi" is not a file\. For the built-in environment, pass --env taxi/],
  [["image", "--env", "taxi,frozn-lake"], /"frozn-lake" is not a built-in environment\. Did you mean frozen-lake\?/],
  [["approvals"], /Missing subcommand\. Use one of: biplane approvals list/],
])("%s is a wrong command line: one clear line, and exit code 2", async (words, message) => {
  const { code, stdout, stderr } = await runHere(...words);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(message);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test("demo prints a one-time link and working commands, runs agents, and cleans up on Ctrl-C", async () => {
  const child = spawn(process.execPath, [program, "demo", "--url", "http://127.0.0.1:0"]);
  const lines: string[] = [];
  const reader = createInterface(child.stderr).on("line", (line) => lines.push(line));
  await until(reader, () => lines.some((line) => line.includes("Stop with Ctrl-C")));
  expect(lines.length).toBeLessThan(45);
  const curl = lines.find((line) => line.includes("curl")) ?? "";
  const [, url = "", body = ""] = /curl -s (\S+) -d '(.+)'/.exec(curl) ?? [];
  const response = await fetch(url, { method: "POST", body });
  expect(await response.json()).toMatchObject({ result: { name: "Ada Lovelace" } });
  const [, page = "", key = ""] = /(http\S+)\/#\/overview\?key=(\S+)/.exec(lines.join("\n")) ?? [];
  expect(await (await fetch(page)).text()).toContain("<title>Biplane</title>");
  const enter = async (body: Record<string, string>) => {
    const answer = await fetch(`${page}/api/session`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: page },
      body: JSON.stringify(body),
    });
    return answer.status;
  };
  expect([await enter({ key }), await enter({ key })]).toEqual([200, 401]);
  const [, name = "", passphrase = ""] = /the name (\S+) and the passphrase (\S+)/.exec(lines.join("\n")) ?? [];
  expect(await enter({ name, passphrase })).toBe(200);
  await expect.poll(() => metricsOf(page), { timeout: 15_000 }).toMatch(/biplane_calls_total\{tool="lake_move",/);
  await expect.poll(() => metricsOf(page)).toMatch(/tool="list_customers",route="mcp"/);
  const [approve = ""] = /node \S+ approvals approve --all .*/.exec(lines.join("\n")) ?? [];
  const [refund = ""] = /curl .*"amount":500.*/.exec(lines.join("\n")) ?? [];
  expect(await inShell(refund)).toContain("APPROVAL_PENDING");
  expect(await inShell(approve)).toContain("Refund 500 to ada?");
  expect(await inShell(refund)).toContain('"balance":620');
  expect(lines.join("\n")).not.toContain("/#/setup/");
  // What is shown goes at a pace that can be watched.
  const [, moves] = /tool="lake_move".* (\d+)$/m.exec(await metricsOf(page)) ?? [];
  expect(Number(moves)).toBeLessThan(100);
  child.kill("SIGINT");
  expect(await once(child, "close")).toEqual([0, null]);
  // The agents end their runs in the store before it closes.
  expect(lines.filter((line) => line.includes("A demo agent stopped"))).toEqual([]);
  const [, config = ""] = /Config file +(\S+)/.exec(lines.join("\n")) ?? [];
  expect(config).toMatch(/biplane\.yaml$/);
  expect(existsSync(config)).toBe(false);
});

async function inShell(line: string): Promise<string> {
  return (await promisify(execFile)("/bin/sh", ["-c", line], { cwd: "/" })).stdout;
}

async function metricsOf(page: string): Promise<string> {
  return (await fetch(`${page}/metrics`)).text();
}

test("demo over stdio answers what was asked before the input ended, and keeps standard output clean", async () => {
  const child = spawn(process.execPath, [program, "demo", "--stdio"]);
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stdin.end('not json\n{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_customers"}}');
  expect(await once(child, "exit")).toEqual([0, null]);
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: unknown; error?: { code: number } });
  expect(answers.map(({ id, error }) => error?.code ?? id)).toEqual([-32700, 1]);
});

test("serve puts environments of the gallery on one port, each under its name", async () => {
  const child = spawn(process.execPath, [program, "serve", "--env", "frozen-lake,taxi", "--url", "http://127.0.0.1:0"]);
  const lines: string[] = [];
  const reader = createInterface(child.stderr).on("line", (line) => lines.push(line));
  await until(reader, () => lines.some((line) => line.includes("Ctrl-C")));
  const url = /http:\/\/[\d.:]+/.exec(lines.join("\n"))?.[0] ?? "";
  const name = async (path: string) => ((await (await fetch(url + path)).json()) as { name: string }).name;
  expect([await name("/metadata"), await name("/env/taxi/metadata")]).toEqual(["frozen-lake", "taxi"]);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("serve takes a TypeScript file of the user's own", async () => {
  const file = fileURLToPath(new URL("lamp.ts", import.meta.url));
  const child = spawn(process.execPath, [program, "serve", file, "--url", "http://127.0.0.1:0"]);
  const lines: string[] = [];
  const reader = createInterface(child.stderr).on("line", (line) => lines.push(line));
  await until(reader, () => lines.some((line) => line.includes("Ctrl-C")));
  const url = /http:\/\/[\d.:]+/.exec(lines.join("\n"))?.[0] ?? "";
  const response = await fetch(`${url}/step`, { method: "POST", body: '{"action":{"tool_name":"press"}}' });
  expect(await response.json()).toMatchObject({ observation: { result: { data: { isOn: true } } } });
  child.kill("SIGTERM");
  await once(child, "exit");
});

test("an address in use is an error that says what to do", async () => {
  const first = createServer().listen(0, "127.0.0.1");
  await once(first, "listening");
  const { port } = first.address() as AddressInfo;
  const { code, stderr } = await run("demo", "--url", `http://127.0.0.1:${port}`);
  expect(code).toBe(1);
  expect(stderr).toMatch(/is in use\. Use another port/);
  first.close();
});

async function until(reader: NodeJS.EventEmitter, holds: () => boolean): Promise<void> {
  while (!holds()) await once(reader, "line");
}
