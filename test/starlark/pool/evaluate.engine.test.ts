import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { createPool, StarlarkError } from "@biplane/starlark";
import type { EvaluateOptions } from "@biplane/starlark";
import { runs } from "../../support/runs.ts";

const pool = createPool({ size: 2 });
afterAll(() => pool.close());

const dialect = { topLevelReturn: true, topLevelControl: true, globalReassign: true, while: true };
const evaluate = (source: string, options: EvaluateOptions = {}) => pool.evaluate(source, { dialect, ...options });
const valueOf = async (source: string, options: EvaluateOptions = {}): Promise<unknown> =>
  JSON.parse((await evaluate(source, options)).json);
const failure = async (source: string, options: EvaluateOptions = {}): Promise<StarlarkError> => {
  const error: unknown = await evaluate(source, options).catch((thrown: unknown) => thrown);
  if (error instanceof StarlarkError) return error;
  throw new Error(`it did not fail: ${JSON.stringify(error)}`);
};

describe("an evaluation", () => {
  it("is what the file returns, or its last expression", async () => {
    expect(await valueOf("x = 2\nx + 1")).toBe(3);
    expect(await valueOf("for i in range(9):\n  if i == 4:\n    return [i]\n1")).toEqual([4]);
    expect(await valueOf("x = 2")).toBeNull();
    expect((await failure("return 1", { dialect: {} })).reason).toBe("return statement not within a function");
    expect((await failure("x = 1\ny = x.nosuch\nreturn y")).message).toContain("main.star:2:6");
  });

  it("describes what JSON cannot represent", async () => {
    const source =
      '{"big": 1 << 80, 1: "one", (1, 2): set([3]), "b": b"abc", "f": len, "r": range(3), "n": float("nan")}';
    expect(await valueOf(source)).toEqual({
      big: "1208925819614629174706176",
      "1": "one",
      "[1,2]": [3],
      b: "abc",
      f: "<function len>",
      r: [0, 1, 2],
      n: "NaN",
    });
  });

  it("calls a function of the file, or takes the exports of one that has none", async () => {
    const call = { name: "main", args: [1, [2]], named: { c: { k: 3 } } };
    expect(await valueOf("def main(a, b, c): return [a, b, c]", { call })).toEqual([1, [2], { k: 3 }]);
    expect(await failure("x = 1", { call })).toMatchObject({ code: "call", reason: 'function "main" not found' });
    expect(await failure("main = 1", { call })).toMatchObject({ code: "call", reason: '"main" is not a function' });
    const fileResult = "exports";
    const optional = { call: { name: "main", isOptional: true }, fileResult } as const;
    expect(await valueOf("main = 1\nresult = 2", optional)).toBe(2);
    expect(await valueOf("CITY = 'Oslo'\ncount = 3", optional)).toEqual({ CITY: "Oslo" });
    expect(await valueOf("count = 3", optional)).toBeNull();
  });

  it("calls functions of the host with JSON data, and waits for them", async () => {
    const seen: unknown[] = [];
    const functions = {
      note: async (...args: unknown[]) => void seen.push(args),
      time: { now: () => ({ at: "noon", n: 1.5, list: [1n << 70n, null] }) },
    };
    const source = 'note("é", [1, (2,)], {"a": None}, k = 1 << 70)\nt = time.now()\n[t["at"], t["n"], t["list"]]';
    expect(await valueOf(source, { functions })).toEqual(["noon", 1.5, ["1180591620717411303424", null]]);
    expect(seen).toEqual([["é", [1, [2]], { a: null }, { k: "1180591620717411303424" }]]);
  });

  it("keeps the error of a host function as the cause, and survives results that cannot be sent", async () => {
    const cause = new RangeError("nope");
    const functions = { boom: () => Promise.reject(cause), odd: () => () => 1 };
    const error = await failure("def f():\n  boom(1)\nf()", { functions });
    expect(error).toMatchObject({ code: "host", reason: "boom: nope", cause });
    expect(error.traceback).toContain("main.star:2:7: in f");
    expect((await failure("odd()", { functions })).reason).toContain("cannot be sent to a worker");
  });

  it("uses parts of the library", async () => {
    expect(await valueOf('json.decode("[1, 2.5]") + [math.floor(2.5)]', { library: ["json", "math"] })).toEqual([
      1, 2.5, 2,
    ]);
    expect((await failure("json")).reason).toBe("undefined: json");
  });

  it("finds static errors without running anything", async () => {
    expect(await pool.check("x = y", { names: ["y"] })).toBeUndefined();
    expect(await pool.check("x = y", { file: "a.star" })).toMatchObject({ message: "a.star:1:5: undefined: y" });
  });
});

describe("the state of an evaluation", () => {
  it("is all data, exactly, which a later one can read and assign", async () => {
    const first = await evaluate(
      'n = 1\nf = 2.0\nbig = -(1 << 70)\nt = (1, "é")\nb = b"\\xff"\nr = range(0, 9, 2)\ns = set([1])\nd = {1: [2]}\nnan = float("nan")\ndef g(): return 1\nh = {"g": g}',
    );
    const { json, state } = await evaluate(
      "n = n + 1\nd[1].append(3)\n[n, type(f), big, t, len(b), len(r), list(s), d]",
      {
        state: first.state,
      },
    );
    expect(JSON.parse(json)).toEqual([2, "float", "-1180591620717411303424", [1, "é"], 1, 5, [1], { "1": [2, 3] }]);
    expect(await valueOf("[n, d, type(t), str(nan), type(r)]", { state })).toEqual([
      2,
      { "1": [2, 3] },
      "tuple",
      "nan",
      "range",
    ]);
    expect((await failure("g()", { state })).code).toBe("syntax");
    expect((await failure('h["g"]()', { state })).reason).toBe("g was defined by an earlier program and is not kept");
  });

  it("keeps shared parts shared", async () => {
    const { state } = await evaluate("x = [1]\nfor i in range(60): x = [x, x]\ny = x\nx = 0");
    expect(state.byteLength).toBeLessThan(5000);
    expect(await valueOf("y[0].append(1)\nlen(y[1])", { state })).toBe(3);
  });

  it("that comes from elsewhere does no harm", async () => {
    const { state } = await evaluate('x = [1, (2.5, "a"), {"k": set([1 << 70])}]\ny = range(5)');
    const change = fc.record({ at: fc.nat(state.byteLength - 1), byte: fc.nat(255), cut: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        let changed = Uint8Array.from(state);
        for (const { at, byte, cut } of changes) {
          if (cut) changed = changed.slice(0, at);
          else if (at < changed.length) changed[at] = byte;
        }
        const outcome = await evaluate("1", { state: changed }).catch((error: unknown) => error);
        if (outcome instanceof StarlarkError) expect(outcome.code).toBe("conversion");
        else expect(outcome).toMatchObject({ json: "1" });
      }),
      runs(200),
    );
  });
});

describe("the bounds of an evaluation", () => {
  const bounds = { resultBytes: 1000, callBytes: 1000, callParts: 100, callDepth: 10, stateBytes: 1000 };

  it.each([
    ["a long text", "'x' * 100000"],
    ["a vast range", "range(1 << 50)"],
    ["shared parts", "[[['x' * 100] * 1000] * 1000] * 1000"],
    ["a large int", "1 << 511 << 511 << 511 << 511 << 511 << 511 << 511 << 511"],
    ["text of several bytes per character", "'é' * 100000"],
  ])("cut %s", async (_, source) => {
    const { json, isCut } = await evaluate(source, { bounds });
    expect(isCut).toBe(true);
    expect(json.length).toBeLessThanOrEqual(1000);
  });

  it.each([
    ["long arguments", "tell('x' * 2000)", /arguments are larger than 1000 bytes or 100 values/],
    ["many arguments", "tell([0] * 200)", /arguments are larger than 1000 bytes or 100 values/],
    ["deep arguments", `tell(${"[".repeat(20)}${"]".repeat(20)})`, /nested more than 10 levels/],
    ["arguments that contain themselves", "x = []\nx.append(x)\ntell(x)", /contains itself/],
    ["a large state", "x = 'x' * 2000", /the state takes more than 1000 bytes/],
    ["a state of many parts", "x = [0] * 2000", /the state takes more than 1000 bytes/],
    ["a result that contains itself", "x = []\nx.append(x)\nx", /contains itself/],
  ])("refuse %s", async (_, source, reason) => {
    expect((await failure(source, { bounds, functions: { tell: () => 1 } })).reason).toMatch(reason);
  });

  it("hold for what is printed and for errors", async () => {
    let printed = "";
    const print = (text: string) => void (printed += text);
    await evaluate("for i in range(100000): print()", { print, bounds: { printBytes: 1000 } });
    expect(printed).toBe("\n".repeat(1001));
    expect((await failure('fail("x" * 1000000)')).reason.length).toBeLessThanOrEqual(10_000);
    expect((await failure("a\n".repeat(10_000))).problems.length).toBeLessThanOrEqual(50);
  });

  it("end a program that computes too long, but not one that waits", async () => {
    const functions = { wait: () => new Promise((resolve) => setTimeout(resolve, 300)) };
    expect(await valueOf("wait()\n1", { functions, computeMs: 200 })).toBe(1);
    const endless = { limits: { steps: Infinity }, computeMs: 200 };
    expect(await failure("while True: pass", endless)).toMatchObject({ code: "limit" });
    expect(await valueOf("1")).toBe(1);
  });
});
