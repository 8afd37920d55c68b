import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { allow, deny, server, tool } from "biplane";
import { openHistory } from "../../../packages/biplane/src/cli/terminal/history.ts";
import { program } from "../../support/project.ts";
import { runHere } from "../command.ts";

const everything = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
);
const start = [program, "code"];

test("-c runs code in an environment, and prints its reward", async () => {
  const { code, stdout } = await runHere(
    "code",
    "frozen-lake",
    "--seed",
    "1",
    "-c",
    "(await lake_move('DOWN')).position",
  );
  expect([code, stdout]).toEqual([0, "4\nreward 0  total 0  step 1\n"]);
});

test("piped input is one program, and fails as a program does", async () => {
  const { code, stdout, stderr } = await run(["frozen-lake"], "console.log('before')\n\nlake_move()\n");
  expect(code).toBe(1);
  expect(stdout).toBe("before\ntotal 0  step 0\n");
  expect(stderr).toMatch(/^ToolError: .*action/);
});

test("the tools of a server at an address are functions, under that server's rules", async () => {
  const add = tool({
    name: "add",
    input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
    run: ({ a, b }) => Number(a) + Number(b),
  });
  await using gateway = server({ name: "sums", version: "1.0.0", limits: false, tools: [add] });
  const { url } = await gateway.serve("http://127.0.0.1:0");
  gateway.policy((_, name, input) => ((input as { a?: number }).a === 9 ? deny(`${name} no nines`) : allow()));
  const code = "print([add(n, 1) for n in range(3)])\ntry_tool('add', 9, 1)['message']";
  const { stdout } = await runHere("code", `${url}/mcp`, "--language", "starlark", "-c", code);
  expect(stdout).toBe("[1, 2, 3]\nadd no nines\n");
});

test("the tools of a command are functions, in Python too", async () => {
  const words = ["--language", "python", "-c", "print(echo(message='hey'))", "--", process.execPath, everything];
  expect(await run(words)).toMatchObject({ code: 0, stdout: "Echo: hey\n" });
});

test.each([
  [["nonsense", "-c", "1"], /"nonsense" is not a target/],
  [["-c", "1"], /Pass a target/],
  [["taxi", "--language", "cobol", "-c", "1"], /--language must be one of javascript, python, starlark, not "cobol"/],
  [["taxi", "--seed", "x", "-c", "1"], /--seed must be a whole number/],
])("%s is refused with a clear message", async (words, message) => {
  expect(await runHere("code", ...words)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) as string });
});

test("a history is kept for its owner only", async () => {
  const folder = await mkdtemp(join(tmpdir(), "biplane-history-"));
  const file = join(folder, "deep", "history");
  const first = await openHistory(file);
  expect(first.lines).toEqual([]);
  await first.keep(["newest", "oldest"]);
  expect(await readFile(file, "utf8")).toBe("oldest\nnewest");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await openHistory(file)).lines).toEqual(["newest", "oldest"]);
  await rm(folder, { recursive: true });
});

async function run(words: readonly string[], input = ""): Promise<{ code: number; stdout: string; stderr: string }> {
  const running = promisify(execFile)(process.execPath, [...start, ...words]);
  running.child.stdin?.end(input);
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}
