import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BiplaneError } from "biplane";
import { Shares } from "../../packages/core/src/call/shares.ts";
import type { CodeContext, CodeEngine, CodeHost, CodeResult } from "../../packages/biplane/src/code/engine.ts";
import { defaultCodeLimits } from "../../packages/biplane/src/code/limits.ts";
import type { ContextState } from "../../packages/biplane/src/code/javascript/context.ts";
import { WorkerRunner } from "../../packages/biplane/src/code/javascript/worker-runner.ts";
import { pythonEngine } from "../../packages/biplane/src/code/python/engine.ts";
import { starlarkEngine } from "../../packages/biplane/src/code/starlark/engine.ts";
import { nearlyJson, preludes, toolName, tree, writeTree } from "./fuzz-values.ts";
import type { FuzzedLanguage } from "./fuzz-values.ts";
import { rawBindings, rawTools } from "./raw-bridge.ts";

const isSoak = process.env["BIPLANE_SOAK"] === "1";
/** 100,000 programs with BIPLANE_SOAK=1, in parts that are reported one by one; some hundreds else. Those in Python take longest. */
const parts = Array.from({ length: isSoak ? 10 : 1 }, (_, at) => at + 1);
const programs = isSoak
  ? { javascript: 4000, python: 2000, starlark: 4000 }
  : { javascript: 60, python: 40, starlark: 100 };
const timeout = isSoak ? 3_600_000 : 120_000;

const limits = { ...defaultCodeLimits, cpuMs: 20_000, calls: 20, memoryBytes: 32 * 2 ** 20, valueBytes: 10_000 };
const keptBytes = new Shares("bytes", { perCaller: Infinity, total: Infinity });

/** What a tool gives back, which the host must encode for the guest. */
const replies: readonly (() => unknown)[] = [
  () => undefined,
  () => null,
  () => 0.1 + 0.2,
  () => Number.NaN,
  () => 1n << 80n,
  () => "x".repeat(100_000),
  () => JSON.parse('{"__proto__":{"polluted":true},"then":5}') as unknown,
  () => Array.from({ length: 1000 }, (_, at) => ({ at })),
  () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    return cycle;
  },
  () => () => 1,
  () => Symbol("x"),
  () => ({
    get a(): never {
      throw new Error("a getter");
    },
  }),
  () => new Date(0),
  () => {
    let deep: unknown = 1;
    for (let level = 0; level < 2000; level++) deep = [deep];
    return deep;
  },
];

/** A host that answers at once or later, with anything, in any order; and may abort the action in between. */
class WildHost implements CodeHost {
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;
  readonly seen: { name: string; input: unknown }[] = [];
  readonly #choices: readonly number[];
  readonly #held: (() => void)[] = [];

  constructor(choices: readonly number[]) {
    this.#choices = choices;
  }

  call(name: string, input: unknown): unknown {
    const choice = this.#choices[this.seen.push({ name, input }) - 1] ?? 0;
    if (choice % 29 === 28) this.#controller.abort(new BiplaneError("CANCELLED", "The fuzzer aborts."));
    if (name === "broken")
      throw choice % 2 === 0 ? new BiplaneError("EXECUTION_ERROR", "broken") : new TypeError("odd");
    const reply = replies[choice % replies.length] as () => unknown;
    if (name !== "later") return reply();
    return new Promise((resolve, reject) => {
      this.#held.push(() => (choice % 5 === 0 ? reject(new Error("late")) : resolve(reply())));
      // The last that was asked is answered first.
      setImmediate(() => this.#held.pop()?.());
    });
  }
}

/** What may come out of any engine, whatever went in. */
function mustBeSound(result: CodeResult, { seen }: WildHost): void {
  for (const { name, input } of seen) {
    expect(["echo", "later", "broken"]).toContain(name);
    expect(Object.prototype.toString.call(input)).toBe("[object Object]");
    expect(JSON.stringify(input).length).toBeLessThanOrEqual(4 * 2 ** 20 + 100);
  }
  expect(JSON.stringify(result.value ?? null).length).toBeLessThan(70_000);
  expect(result.stdout.length + result.stderr.length).toBeLessThan(140_000);
  expect(["syntax", "thrown", "limit", "cancelled", "lost", undefined]).toContain(result.error?.kind);
  for (const text of [result.error?.name ?? "", result.error?.message ?? ""]) expect(typeof text).toBe("string");
  expect(JSON.stringify(result)).not.toMatch(/\/src\/code|node:internal/);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
}

const choices = fc.array(fc.nat(1000), { minLength: 20, maxLength: 20 });
const quoted = (text: string): string => JSON.stringify(text);

describe("whatever a guest sends, the host neither crashes nor hangs:", () => {
  test.each(parts)("JavaScript, with the host's functions themselves, part %i", { timeout }, async () => {
    const runner = new WorkerRunner(3);
    const bindings = await rawBindings(limits.memoryBytes);
    const state = (): ContextState => ({ bindings, limits, caller: undefined, keptBytes, image: undefined });
    const argument = fc.oneof(
      { weight: 3, arbitrary: nearlyJson.map(quoted) },
      { weight: 2, arbitrary: tree.map((each) => `JSON.stringify({ a: ${writeTree("javascript", each)} })`) },
      { weight: 1, arbitrary: tree.map((each) => writeTree("javascript", each)) },
      fc.constantFrom(
        "",
        "undefined",
        "{ toString() { throw 1 } }",
        "{ toString() { return host.call('echo', '{}') } }",
      ),
    );
    const operation = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.tuple(toolName, argument).map(([name, each]) => `host.call(${quoted(name)}, ${each})`),
      },
      fc.tuple(argument, argument).map(([name, each]) => `host.call(${name || "0"}, ${each})`),
      fc
        .tuple(fc.constantFrom("list", "search", "schema", "x"), argument)
        .map(([about, each]) => `host.meta(${quoted(about)}, ${each})`),
      fc
        .tuple(fc.constantFrom("out", "error", "x"), argument)
        .map(([stream, each]) => `host.print(${quoted(stream)}, ${each})`),
      fc
        .tuple(fc.constantFrom("=", "!", "~", "", "?"), nearlyJson)
        .map(([kind, each]) => `host.done(${quoted(kind + each)})`),
      fc
        .tuple(fc.constantFrom("=", "!", "~"), argument)
        .map(([kind, each]) => `host.forged = ${quoted(kind)} + (${each || "1"})`),
      fc.constantFrom(
        "await null",
        "host.settled.length",
        "throw host.settled",
        "host.done()",
        "host.call()",
        "host.meta()",
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 8 }), choices, async (operations, chosen) => {
        const host = new WildHost(chosen);
        const code = operations.map((each) => `try { ${each} } catch {}`).join("\n");
        mustBeSound((await runner.run(state(), `${code}\nhost.settled`, host)).result, host);
      }),
      { numRuns: programs.javascript },
    );
    expect((await runner.run(state(), "1 + 1", new WildHost([]))).result.value).toBe(2);
    await runner.close();
  });

  describe.each([
    ["python", () => pythonEngine({ workers: 3, warm: 1, limits, keptBytes })],
    ["starlark", () => starlarkEngine({ workers: 3, limits, keptBytes })],
  ] as [FuzzedLanguage, () => CodeEngine][])("%s", (language, openEngine) => {
    let engine: CodeEngine;
    let context: CodeContext;
    beforeAll(async () => {
      engine = openEngine();
      context = await engine.open({ tools: rawTools });
    });
    afterAll(() => engine.close());

    const value = tree.map((each) => writeTree(language, each));
    const shared = [
      fc
        .tuple(toolName, value)
        .map(
          ([name, each]) =>
            `${language === "python" ? "tools[" : "try_tool("}${literal(name)}${language === "python" ? `](a=${each})` : `, {"a": ${each}})`}`,
        ),
      fc.tuple(fc.constantFrom("echo", "later", "broken"), value).map(([name, each]) => `${name}(${each})`),
      fc
        .tuple(fc.constantFrom("search_tools", "get_tool_schema", "list_tools", "print", "echo"), value)
        .map(([name, each]) => `${name}(${each})`),
      value.map((each) => `kept = ${each}`),
    ];
    /** Python code can write to the line to the host itself. */
    const raw = fc.oneof(
      fc
        .tuple(fc.constantFrom("C", "R", "X", ""), nearlyJson)
        .map(([kind, each]) => `__import__("os").write(0, ${literal(kind + each)}.encode())`),
      fc
        .tuple(toolName, nearlyJson)
        .map(
          ([name, each]) =>
            `__import__("os").write(0, b"C" + ('{"tool":' + ${literal(JSON.stringify(name))} + ',"input":' + ${literal(each)} + '}').encode())`,
        ),
      fc.constantFrom(
        '__import__("os").read(0, 9)',
        '__import__("os").read(0, 10**6)',
        '__import__("os").write(0, b"")',
        '__import__("os").write(0, b"C" + b"[" * 5000000)',
      ),
    );
    const operation = language === "python" ? fc.oneof(...shared, raw, raw) : fc.oneof(...shared);

    test.each(parts)("with values, names and messages of all kinds, part %i", { timeout }, async () => {
      let count = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 6 }), choices, async (operations, chosen) => {
          if (count++ % 100 === 99) {
            await context.close();
            context = await engine.open({ tools: rawTools });
          }
          const host = new WildHost(chosen);
          const lines =
            language === "python" ? operations.map((each) => `try:\n  ${each}\nexcept Exception: pass`) : operations;
          mustBeSound(await context.run(`${preludes[language]}${lines.join("\n")}\n"kept"`, host), host);
        }),
        { numRuns: programs[language] },
      );
      await context.close();
      context = await engine.open({ tools: rawTools });
      expect((await context.run("1 + 1", new WildHost([]))).value).toBe(2);
    });
  });
});

/** A text as Python and Starlark write it. */
function literal(text: string): string {
  return writeTree("python", { kind: "literal", value: text });
}
