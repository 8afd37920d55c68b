import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import fc from "fast-check";
import { connectOptions } from "../../packages/biplane/src/cli/target/connect-args.ts";
import { readArguments } from "../../packages/biplane/src/cli/target/read-arguments.ts";
import { typedValue } from "../../packages/biplane/src/cli/target/typed-value.ts";
import { cleanText } from "../../packages/biplane/src/cli/terminal/clean-text.ts";
import { fit, widthOf, wrap } from "../../packages/biplane/src/cli/terminal/width.ts";
import { everything, everythingOverHttp } from "../client/mount/everything.ts";
import { commandLine, runHere } from "./command.ts";
import gateway from "./hostile-server.ts";
import { inTerminal, keys } from "./terminal.ts";
import { needs } from "../support/needs.ts";
import { anyCharacter } from "../support/any-character.ts";

const hostile = fileURLToPath(new URL("hostile-server.ts", import.meta.url));
const junk = fileURLToPath(new URL("junk-server.mjs", import.meta.url));
let folder: string;
let url: string;
beforeAll(async () => {
  url = `${(await gateway.serve("http://127.0.0.1:0")).url}/mcp`;
  folder = await mkdtemp(join(tmpdir(), "biplane-call-"));
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

describe("biplane call", () => {
  test("parses its arguments by the tool's schema, prints result and progress, and exits with 0", async () => {
    const words = ["count=3", "size=large", "tags=1,2", "on=yes", "text=5", "tags:=[4.5]"];
    const typed = await runHere("call", url, "typed", ...words);
    expect(typed).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(typed.stdout)).toEqual({ count: 3, size: "large", tags: [1, 2, 4.5], on: true, text: "5" });
    const work = await runHere("call", url, "work");
    expect(work).toMatchObject({ code: 0, stdout: "worked\n" });
    expect(work.stderr).toContain("1/2 half");
    const json = await runHere("call", url, "typed", "--json", '{"count":1,"on":false}', "count=2");
    expect(JSON.parse(json.stdout)).toEqual({ count: 2, on: false });
  });

  test("ends with 1 where the tool failed, and keeps the terminal safe", async () => {
    const failed = await runHere("call", url, "fail");
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain("Error: no luck\\u001b]0;owned");
    const shouted = await runHere("call", url, "shout");
    expect(shouted.stdout).toContain("two  three\n");
    for (const text of [failed.stdout, shouted.stdout, shouted.stderr]) expect(text).not.toMatch(/[^\P{C}\n]/u);
    const raw = await runHere("call", url, "shout", "--raw");
    expect(JSON.parse(raw.stdout)).toMatchObject({ content: [{ type: "text" }] });
    expect(raw.stdout).not.toMatch(/[^\P{C}\n]/u);
  });

  test("asks in the terminal what the tool asks", needs("python3"), async () => {
    const { code, output } = await inTerminal(commandLine("call", hostile, "ask"), [
      { see: "name, Whose", type: `Ada${keys.enter}` },
      { see: "age (a whole number): ", type: `old${keys.enter}` },
      { see: 'age must be a whole number, not "old"', type: `36${keys.enter}` },
      { see: 'accept {"name":"Ada","age":36}' },
    ]);
    expect(code).toBe(0);
    expect(output).not.toContain("\u001B]0;");
    const left = await inTerminal(commandLine("call", hostile, "ask"), [
      { see: "name, Whose", type: keys.interrupt },
      { see: "cancel null" },
    ]);
    expect(left.code).toBe(0);
    const alone = await runHere("call", url, "ask");
    expect(alone.code).toBe(1);
    expect(alone.stdout + alone.stderr).toMatch(/cannot answer|not support|elicitation/i);
  });

  test("takes a URL, an entry of a config file, a name of the gallery, or a command line", async () => {
    await using web = await everythingOverHttp();
    const sum = ["get-sum", "a=2", "b=3"];
    const file = join(folder, "mcp.json");
    await writeFile(file, JSON.stringify({ mcpServers: { all: everything, broken: { command: "" } } }));
    const targets = [
      [web.url, ...sum],
      [`${file}#all`, ...sum],
      [...sum, "--", everything.command, ...everything.args],
    ];
    for (const words of targets) {
      const { code, stdout } = await runHere("call", ...words);
      expect([code, stdout]).toEqual([0, "The sum of 2 and 3 is 5.\n"]);
    }
    const lake = await runHere("call", "frozen-lake", "lake_move", "action=DOWN");
    expect(lake).toMatchObject({ code: 0, stdout: expect.stringContaining("position") as string });
  });

  test.each([
    [["typed", "count=many"], 'count must be a whole number, not "many"'],
    [["typed", "cuont=1"], 'typed has no argument "cuont". Did you mean count?'],
    [["typed"], "typed needs count=… (a whole number)"],
    [["typed", "nonsense"], '"nonsense" is not an argument. Write key=value or key:=json.'],
    [["tpyed", "count=1"], 'The server has no tool "tpyed". Did you mean typed?'],
    [["typed", "count:={"], "count is not valid JSON"],
    [["typed", "--json", "[]"], "--json must be a JSON object"],
    [[], "Missing argument <tool>. Usage: biplane call <target> <tool> [key=value …]"],
  ])("%j ends with one clear line", async (words, message) => {
    const { code, stderr, stdout } = await runHere("call", url, ...words);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});

describe("biplane tools", () => {
  test("lists them with what they take", async () => {
    const { code, stdout } = await runHere("tools", url);
    expect(code).toBe(0);
    expect(stdout).toContain("typed(count: integer, size?: ");
    expect(stdout).not.toMatch(/[^\P{C}\n]/u);
  });

  test("reports what a program did instead of serving", async () => {
    const gone = await runHere("tools", "--", "no-such-program-anywhere");
    const dies = await runHere("tools", "--", process.execPath, junk, "dies");
    const loud = await runHere("tools", "--", process.execPath, junk);
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining("not found in PATH") as string });
    expect(dies.code).toBe(1);
    expect(dies.stderr).toContain("ended with code 7. Last lines on stderr:\n  no \\u001b[2Jlicence");
    expect(loud).toMatchObject({ code: 0, stdout: "ping()\n" });
    expect(loud.stderr).toMatch(/Starting up/);
    for (const { stderr } of [gone, dies, loud]) expect(stderr).not.toMatch(/[^\P{C}\n]/u);
  });

  test.each([
    ["nothing.json#a", "nothing.json does not exist"],
    ["nothing.ts", "File not found"],
    ["http://127.0.0.1:1/mcp", "127.0.0.1:1"],
  ])("%s ends with one clear line", async (target, message) => {
    const { code, stderr } = await runHere("tools", target);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });
});

test("tokens and headers may be named by a variable", () => {
  const environment = { TOKEN: "abc" };
  expect(connectOptions({ bearer: "$TOKEN", header: "X-Key: a ${TOKEN}" }, environment)).toEqual({
    bearer: "abc",
    headers: { "X-Key": "a abc" },
  });
  expect(() => connectOptions({ bearer: "$NOPE" }, environment)).toThrow("NOPE is not set");
  expect(() => connectOptions({ header: "nonsense" }, environment)).toThrow('"Name: value"');
  expect(() => connectOptions({ timeout: "soon" }, environment)).toThrow("seconds");
});

test("values are typed through references and alternatives", () => {
  const root = { $defs: { level: { enum: [1, 2, "high"] }, loop: { $ref: "#/$defs/loop" } } };
  expect(typedValue("2", { name: "x", schema: { $ref: "#/$defs/level" }, root })).toBe(2);
  expect(typedValue("high", { name: "x", schema: { $ref: "#/$defs/level" }, root })).toBe("high");
  expect(typedValue("5", { name: "x", schema: { $ref: "#/$defs/loop" }, root })).toBe("5");
  expect(typedValue("5", { name: "x", schema: { anyOf: [{ type: "integer" }, { type: "null" }] } })).toBe(5);
  expect(typedValue("null", { name: "x", schema: { type: ["string", "null"] } })).toBe(null);
  expect(typedValue('{"a":1}', { name: "x", schema: { type: "object" } })).toEqual({ a: 1 });
  expect(
    readArguments({ name: "t", inputSchema: { type: "object", additionalProperties: true } }, ["__proto__=x"]),
  ).toEqual(JSON.parse('{"__proto__":"x"}'));
});

test("untrusted text cannot control the terminal, and is cut to its column", () => {
  const texts = fc.string({ unit: anyCharacter, maxLength: 200 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 90 }), (text, width) => {
      const clean = cleanText(text);
      expect(clean).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/u);
      expect(widthOf(fit(clean, width))).toBeLessThanOrEqual(width);
      for (const line of wrap(clean, width + 1)) expect(widthOf(line)).toBeLessThanOrEqual(width + 1);
    }),
    { numRuns: process.env["BIPLANE_SOAK"] ? 20_000 : 150 },
  );
});
