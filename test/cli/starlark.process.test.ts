import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text as readAll } from "node:stream/consumers";
import { expect, test } from "vitest";
import { starlarkRepl } from "../../packages/biplane/src/cli/starlark/repl.ts";
import { isUnfinished, StarlarkSession } from "../../packages/biplane/src/cli/starlark/session.ts";
import { program } from "../support/project.ts";

/** Types at a prompt. */
class Typist {
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly errors = new PassThrough();
  seen = "";

  constructor() {
    for (const stream of [this.output, this.errors])
      stream.on("data", (chunk: Buffer) => {
        this.seen += chunk.toString();
        this.input.emit("seen");
      });
  }

  type(text: string): void {
    this.input.write(text);
  }

  async sees(wanted: string): Promise<void> {
    while (!this.seen.includes(wanted)) await once(this.input, "seen");
    this.seen = this.seen.slice(this.seen.indexOf(wanted) + wanted.length);
  }
}

async function typed(...lines: string[]): Promise<{ output: string; errors: string; hasFailed: boolean }> {
  await using session = new StarlarkSession();
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  input.end(lines.join("\n"));
  const hasFailed = await starlarkRepl(session, { input, output, errors, isTerminal: false });
  output.end();
  errors.end();
  return { output: await readAll(output), errors: await readAll(errors), hasFailed };
}

test("what is typed stays: values, changes to them, functions and the last value", async () => {
  const { output, errors } = await typed(
    "x = [1]",
    "x.append(2)",
    "x",
    "x = x + [3]; len(x)",
    "_ + 1",
    "def f(n):",
    "    print('in f', n)",
    "    return n * 2",
    "",
    "f(4)",
    "f(",
    "  'a'",
    ")  # a comment",
    "None",
    'json.decode("[1, 2.5]") + [math.floor(2.5), format("%03d", 7)]',
  );
  expect(errors).toBe("");
  expect(output).toBe('[1, 2]\n3\n4\nin f 4\n8\nin f a\n"aa"\n[1, 2.5, 2, "007"]\n');
});

test("an error has its place and a caret, and leaves nothing behind", async () => {
  const { output, errors, hasFailed } = await typed(
    "x = 1",
    "x = 2; 1 // 0",
    "x",
    "def g():",
    "  return nope",
    "",
    "]",
  );
  expect(hasFailed).toBe(true);
  expect(output).toBe("1\n");
  expect(errors).toContain("  <input>:2:10: in <toplevel>\nError: floored division by zero\n");
  expect(errors).toMatch(/\n {11}1 \/\/ 0\n {13}\^\n/);
  expect(errors).toContain("<input>:5:10: undefined: nope");
  expect(errors).toContain("<input>:7:1: unexpected ']'");
});

test("commands help, forget and leave", async () => {
  const { output, errors } = await typed("x = 1", ":help", ":what", ":reset", "x", ":quit", "print('never')");
  expect(output).toContain(":reset   clear all definitions");
  expect(output).toContain("Unknown command :what.");
  expect(errors).toContain("undefined: x");
  expect(output).not.toContain("never");
});

test("Ctrl-C stops an endless loop, or drops what is being typed, and the prompt goes on", async () => {
  await using session = new StarlarkSession();
  const typist = new Typist();
  const { input, output, errors } = typist;
  const ended = starlarkRepl(session, { input, output, errors, isTerminal: true });
  typist.type("y = 20\n");
  await typist.sees(">>> ");
  typist.type("def f():\n  print('on ' + 'it')\n  while True: pass\n\nf()\n");
  await typist.sees("on it");
  typist.type("\x03");
  await typist.sees("Interrupted.\n");
  typist.type("y = [1,\n");
  await typist.sees("... ");
  typist.type("\x03");
  typist.type("y + 1\n");
  await typist.sees("21\n");
  typist.type("\x04");
  expect(await ended).toBe(true);
});

test.each([
  ["x = 1", false],
  ["", false],
  ["# a comment", false],
  ["def f():", true],
  ["def f():\n  return 1", true],
  ["def f():\n  return 1\n", false],
  ["def f():\n", false],
  ["if x:\n  y\nelse:", true],
  ["x = [1,", true],
  ["x = [1,\n", true],
  ['"""a', true],
  ['"a', false],
  ["1 + \\", true],
  ["1 +", false],
  [")", false],
])("%j is unfinished: %j", (input, expected) => {
  expect(isUnfinished(input)).toBe(expected);
});

function start(...words: string[]) {
  return spawn(process.execPath, [program, "starlark", ...words]);
}

test("it reads from a pipe; a signal stops what runs, and the lines after it still run", async () => {
  const child = start();
  const errors = readAll(child.stderr);
  let output = "";
  const running = new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes("on it")) resolve();
    });
  });
  child.stdin.end("def f():\n  print('on ' + 'it')\n  while True: pass\n\nf()\n1 + 1\n");
  await running;
  child.kill("SIGINT");
  const [code] = (await once(child, "close")) as [number];
  expect(output).toBe("on it\n2\n");
  expect(await errors).toBe("Interrupted.\n");
  expect(code).toBe(1);
});

test("it runs a file with what it loads, or code, and fails where they fail", async () => {
  const folder = mkdtempSync(join(tmpdir(), "biplane-starlark-"));
  writeFileSync(join(folder, "lib.star"), "answer = 42\n");
  writeFileSync(join(folder, "main.star"), 'load("lib.star", "answer")\nprint(answer)\nfail("no more")\n');
  const file = start(join(folder, "main.star"));
  const code = start("-c", "print('a'); 1 << 70");
  const ended = Promise.all([once(file, "close"), once(code, "close")]);
  const told = await Promise.all([file.stdout, file.stderr, code.stdout, code.stderr].map((stream) => readAll(stream)));
  await ended;
  rmSync(folder, { recursive: true });
  expect(told[0]).toBe("42\n");
  expect(told[1]).toContain('main.star:3:5: in <toplevel>\nError in fail: fail: no more\n    fail("no more")');
  expect(told.slice(2)).toEqual(["a\n1180591620717411303424\n", ""]);
  expect([file.exitCode, code.exitCode]).toEqual([1, 0]);
});
