import { afterAll, beforeAll, expect, test } from "vitest";
import { configSchema } from "../../../packages/biplane/src/config/config-schema.ts";
import { findHolds, isSoak } from "./find-holds.ts";
import type { HostileCase } from "./find-holds.ts";
import { HeldServer } from "./held-server.ts";
import { hostileText, textKinds } from "./hostile-texts.ts";
import { callTool } from "./pack-server.ts";

const languages = configSchema.properties.code.properties.languages.items.enum;
type Language = (typeof languages)[number];

let server: HeldServer;
beforeAll(async () => {
  server = await HeldServer.start({
    files: { "kit/sample.txt": "text" },
    config: () =>
      `policyDefault: allow\npolicies: []\npacks: { workspace: { root: ./kit } }\ncode: { languages: [${languages.join()}], limits: { cpuMs: 1000 } }\n`,
  });
});
afterAll(() => server[Symbol.asyncDispose]());

/** What an action may return, print and keep. The limits are those of `code.limits`. */
const valueLimit = 4 * 2 ** 20;
const sourceLimit = 128 * 1024;

/** Programs whose work grows with a number. */
const programs: Readonly<Record<Language, Readonly<Record<string, (size: number) => string>>>> = {
  javascript: {
    "a long text": (size) => `"x".repeat(${size})`,
    "many small values": (size) => `Array(${size}).fill([])`,
    "a deep value": (size) => `let a = []; for (let i = 0; i < ${size}; i++) a = [a]; a`,
    "many keys": (size) => `Object.fromEntries(Array.from({ length: ${size >> 4} }, (_, i) => ["k" + i, i]))`,
    "a great number": (size) => `1n << ${size}n`,
    "escaped text": (size) => `"\\u0001".repeat(${size})`,
    "an error of long text": (size) => `throw new Error("x".repeat(${size}))`,
    "an error with a long name": (size) => `const e = new Error("x"); e.name = "n".repeat(${size}); throw e`,
    "a long print": (size) => `console.log("x".repeat(${size}))`,
    "many prints": (size) => `for (let i = 0; i < ${size >> 4}; i++) console.log(i)`,
    "a call with long text": (size) => `await workspace_read({ path: "x".repeat(${size}) }).catch(() => 0)`,
    "a call with many values": (size) => `await workspace_read({ path: Array(${size}).fill([]) }).catch(() => 0)`,
    "a call with a deep value": (size) =>
      `let a = []; for (let i = 0; i < ${size >> 8}; i++) a = [a]; await workspace_read({ path: a }).catch(() => 0)`,
    "many calls": (size) => `for (let i = 0; i < ${size >> 12}; i++) await workspace_read("sample.txt")`,
    "many calls at once": (size) =>
      `await Promise.all(Array.from({ length: ${size >> 12} }, () => workspace_read("sample.txt").catch(() => 0))); 1`,
    "a search for a tool": (size) => `try { await search_tools("x".repeat(${size})) } catch {}`,
    "kept state": (size) => `var kept = "x".repeat(${size}); kept.length`,
    "kept small values": (size) => `var many = Array.from({ length: ${size >> 3} }, () => ({})); many.length`,
  },
  python: {
    "a long text": (size) => `"x" * ${size}`,
    "many small values": (size) => `[[]] * ${size}`,
    "a deep value": (size) => `a = []\nfor i in range(${size >> 4}): a = [a]\na`,
    "many keys": (size) => `{"k" + str(i): i for i in range(${size >> 4})}`,
    "a great number": (size) => `1 << ${size}`,
    "escaped text": (size) => `"\\x01" * ${size}`,
    "an error of long text": (size) => `raise ValueError("x" * ${size})`,
    "an error with a long name": (size) => `raise type("n" * ${size}, (Exception,), {})()`,
    "a long print": (size) => `print("x" * ${size})`,
    "many prints": (size) => `for i in range(${size >> 4}): print(i)`,
    "a call with long text": (size) => `try: workspace_read(path="x" * ${size})\nexcept Exception: pass`,
    "a call with many values": (size) => `try: workspace_read(path=[[]] * ${size})\nexcept Exception: pass`,
    "many calls": (size) => `for i in range(${size >> 12}): workspace_read("sample.txt")`,
    "kept state": (size) => `kept = "x" * ${size}\nlen(kept)`,
    "files in its folder": (size) => `open("a.txt", "w").write("x" * ${size})`,
  },
  starlark: {
    "a long text": (size) => `"x" * ${size}`,
    "many small values": (size) => `[[]] * ${size}`,
    "a range": (size) => `${"a = range(10000000)\n".repeat(Math.max(1, size >> 16))}len(a)`,
    "a deep value": (size) => `def f():\n  a = []\n  for i in range(${size >> 4}):\n    a = [a]\n  return a\nf()`,
    "many keys": (size) => `{"k" + str(i): i for i in range(${size >> 4})}`,
    "a great number": (size) => `int("9" * ${size >> 8})`,
    "a shifted number": (size) => `7 << ${size}`,
    "escaped text": (size) => `"\\x01" * ${size}`,
    "an error of long text": (size) => `fail("x" * ${size})`,
    "a long print": (size) => `print("x" * ${size})`,
    "many prints": (size) => `[print(i) for i in range(${size >> 4})]`,
    "a call with long text": (size) => `try_tool("workspace_read", {"path": "x" * ${size}})`,
    "a call with many values": (size) => `try_tool("workspace_read", {"path": [[]] * ${size}})`,
    "many calls": (size) => `[workspace_read("sample.txt") for i in range(${size >> 12})]`,
    "decoded JSON": (size) => `json.decode("9" * ${size})`,
    "kept state": (size) => `kept = [{} for i in range(${size >> 3})]\nlen(kept)`,
  },
};

/** Source text that is hostile to what prepares it. */
const sources: Readonly<Record<string, (size: number) => string>> = {
  ...Object.fromEntries(textKinds.map((kind) => [kind, (size: number) => hostileText(kind, size)])),
  statements: (size) => "1;".repeat(size / 2),
  returns: (size) => `return ${"1;".repeat(size / 2)}`,
  "nested calls": (size) => "f(".repeat(size / 2),
  "nested templates": (size) => "`${".repeat(size / 3),
  operators: (size) => `1${"+1".repeat(size / 2)}`,
  declarations: (size) => "let a;".repeat(size / 6),
  imports: (size) => 'import "a";\n'.repeat(size / 12),
  comments: (size) => "/*".repeat(size / 2),
  "regular expressions": (size) => "/a".repeat(size / 2),
  awaits: (size) => "await ".repeat(size / 6),
  assignments: (size) => "a=".repeat(size / 2),
};

for (const language of languages)
  test(`no code in ${language} holds the event loop`, { timeout: isSoak ? 3_600_000 : 240_000 }, async () => {
    const run = (code: string) => callTool(server, "run_code", JSON.stringify({ code, language }));
    expect(await run("1 + 1")).toContain("2");
    const grown = Object.entries(programs[language]).map(([name, make]): HostileCase => ({
      name: `${language}: ${name}`,
      limit: valueLimit,
      send: (size) => run(make(size)),
    }));
    const written = Object.entries(sources).map(([name, make]): HostileCase => ({
      name: `${language}: source of ${name}`,
      limit: sourceLimit,
      send: (size) => run(make(size)),
    }));
    const all = [...grown, ...written];
    expect(await findHolds(server, isSoak ? all : all.filter((_, at) => at % 3 === 0))).toEqual([]);
  });
