import { afterAll, describe, expect, test } from "vitest";
import { BiplaneError, tool } from "biplane";
import type { CodeContext, CodeHost } from "../../packages/biplane/src/code/engine.ts";
import { Shares } from "../../packages/core/src/call/shares.ts";
import { javascriptEngine } from "../../packages/biplane/src/code/javascript/engine.ts";

const later = tool({
  name: "later",
  description: "Answers when the test says so",
  input: { type: "object", properties: { n: { type: "number" } } },
  run: () => undefined,
});
const tools = [later];

/** A host whose calls are answered by the test. */
class Kit implements CodeHost {
  readonly controller = new AbortController();
  readonly signal = this.controller.signal;
  readonly #waiting: ((value: unknown) => void)[] = [];
  #told: (() => void) | undefined;

  call(_: string, input: unknown): unknown {
    const { n } = input as { n?: number };
    if (n === undefined) return "at once";
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#told?.();
    });
  }

  async calls(count: number): Promise<void> {
    while (this.#waiting.length < count) await new Promise<void>((told) => (this.#told = told));
  }

  answer(at: number, value: unknown): void {
    this.#waiting[at]?.(value);
  }
}

describe.each(["thread", "worker"] as const)("JavaScript in a %s", (isolation) => {
  const engine = javascriptEngine({ isolation, workers: 1, limits: { cpuMs: 300 } });
  afterAll(() => engine.close());
  const open = (from?: Uint8Array) => engine.open({ tools, ...(from && { from }) });
  const run = (context: CodeContext, code: string) => context.run(code, new Kit());

  test("gives the last expression, or what is returned, or nothing", async () => {
    await using context = await open();
    const values: unknown[] = [];
    const codes = [
      "1 + 1",
      "return 'x'",
      "if (true) { 'inner' }",
      "const x = 5",
      "x",
      "(async () => 7)()",
      "new Map([[1, 2]])",
      "10n",
    ];
    for (const code of codes) {
      values.push((await run(context, code)).value);
    }
    expect(values).toEqual([2, "x", "inner", undefined, 5, 7, [[1, 2]], 10]);
  });

  test("keeps what is declared, and lets it be declared again", async () => {
    await using context = await open();
    await run(context, "const a = 1; let b = 2; var c = 3; function f() { return a + b + c } class K { v = 9 }");
    expect((await run(context, "const a = 10; let b; [f(), new K().v, b]")).value).toEqual([null, 9, null]);
    expect((await run(context, "let { a, ...rest } = { a: 'again', d: 4 }; [a, rest.d]")).value).toEqual(["again", 4]);
  });

  test("says what is wrong and where, and nothing of the host", async () => {
    await using context = await open();
    expect((await run(context, "let x = ;")).error).toMatchObject({ kind: "syntax", name: "SyntaxError" });
    const { error } = await run(context, "function inner() {\n  null.x\n}\ninner()");
    expect(error).toMatchObject({ kind: "thrown", name: "TypeError" });
    expect(error?.trace).toMatch(/inner \(action\.js:2/);
    expect(error?.trace).not.toMatch(/prelude|node:|file:/);
  });

  test("prints to two streams, as people expect it", async () => {
    await using context = await open();
    const { stdout, stderr } = await run(
      context,
      "console.log('a', 1, { b: [1, 'two', null] }, undefined); console.error(new TypeError('no')); print(new Set([1]))",
    );
    expect(stdout).toBe('a 1 { b: [1, "two", null] } undefined\nSet [1]\n');
    expect(stderr).toBe("TypeError: no\n");
  });

  test("waits for calls in any order, also when it must let others work meanwhile", async () => {
    await using first = await open();
    await using second = await open();
    const kit = new Kit();
    const waiting = first.run(
      "let seen = 'kept'; const [a, b] = await Promise.all([later(1), later(2)]); [seen, a, b, await later()]",
      kit,
    );
    await kit.calls(2);
    // There is one worker; what waits must not hold it.
    expect((await run(second, "40 + 2")).value).toBe(42);
    expect((await run(second, "for (;;);")).error?.kind).toBe("limit");
    kit.answer(1, "b");
    kit.answer(0, "a");
    expect((await waiting).value).toEqual(["kept", "a", "b", "at once"]);
    expect((await run(first, "[seen, a]")).value).toEqual(["kept", "a"]);
  });

  test("ends when it is aborted, and the context stays usable", async () => {
    await using context = await open();
    await run(context, "let n = 1");
    for (const [reason, kind] of [
      [new BiplaneError("TIMEOUT", "too late"), "limit"],
      [new Error("no longer wanted"), "cancelled"],
    ] as const) {
      const kit = new Kit();
      const running = context.run("n = 2; console.log('half'); await later(1)", kit);
      await kit.calls(1);
      kit.controller.abort(reason);
      expect((await running).error).toMatchObject({ kind, message: reason.message });
      expect((await run(context, "n")).value).toBe(1);
    }
    const aborted = new Kit();
    aborted.controller.abort();
    expect((await context.run("n", aborted)).error?.kind).toBe("cancelled");
  });

  test("runs one action of a context after another", async () => {
    await using context = await open();
    const results = await Promise.all(["let a = [1]", "a.push(2)", "a.push(3)", "a"].map((code) => run(context, code)));
    expect(results.at(-1)?.value).toEqual([1, 2, 3]);
  });

  test("goes on from a snapshot, as often as wanted, and refuses others", async () => {
    await using context = await open();
    await run(context, "let list = [1]; const grow = () => list.push(list.length + 1)");
    const snapshot = (await context.snapshot?.()) as Uint8Array;
    await run(context, "grow()");
    for (let each = 0; each < 2; each++) {
      await using copy = await open(snapshot);
      expect((await run(copy, "grow(); list")).value).toEqual([1, 2]);
    }
    await expect(engine.open({ tools: [], from: snapshot })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    for (const broken of [new Uint8Array(), new Uint8Array(100), snapshot.slice(0, -1), snapshot.slice(0, 40)]) {
      await expect(open(broken)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    }
    await using fresh = await open();
    await using copy = await open(await fresh.snapshot?.());
    expect((await run(copy, "typeof list")).value).toBe("undefined");
  });

  test("cuts what is too long, and says so", async () => {
    await using context = await engine.open({ tools, limits: { outputBytes: 100, valueBytes: 100 } });
    const printed = await run(context, "for (let i = 0; i < 100; i++) console.log('äöü line', i)");
    expect(printed.stdout).toMatch(/\[output was truncated\]\n$/);
    expect(Buffer.byteLength(printed.stdout)).toBeLessThan(130);
    expect(printed.truncated).toBe(true);
    const valued = await run(context, "'x'.repeat(1000)");
    expect(valued.truncated).toBe(true);
    expect(valued.value).toMatch(/^"x{99}… \[the result was truncated\]$/);
  });

  test("refuses limits that cannot be kept", async () => {
    await expect(engine.open({ tools, limits: { stackBytes: 10 ** 9 } })).rejects.toMatchObject({
      code: "INVALID_DEFINITION",
    });
  });
});

test("the contexts of a caller keep no more than its share", async () => {
  const keptBytes = new Shares("bytes", { perCaller: 2_000_000, total: 3_000_000 });
  await using engine = javascriptEngine({ isolation: "thread", keptBytes });
  await using small = await engine.open({ tools, caller: "token ada" });
  await using large = await engine.open({ tools, caller: "token ada" });
  expect((await small.run("let a = 1", new Kit())).error).toBeUndefined();
  const { error } = await large.run("let b = 'x'.repeat(2e6)", new Kit());
  expect(error).toMatchObject({ kind: "limit" });
  expect(error?.message).toContain("One caller can hold at most 2000000 bytes");
  expect((await large.run("typeof b", new Kit())).value).toBe("undefined");
  expect((await small.run("a", new Kit())).value).toBe(1);
  await using other = await engine.open({ tools, caller: "token ben" });
  expect((await other.run("let b = 'x'.repeat(1e6)", new Kit())).error).toBeUndefined();
  await Promise.all([small.close(), large.close(), other.close()]);
  expect(keptBytes.total).toBe(0);
});
