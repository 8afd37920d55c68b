import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Float, run, StarlarkError } from "@biplane/starlark";

const module = run("def same(x): return x\ndef describe(x): return [type(x), repr(x)]");
const roundTrip = (value: unknown): unknown => module.call("same", [value]);
const describeValue = (value: unknown): unknown => module.call("describe", [value]);

describe("values cross without loss", () => {
  it.each([
    [null, "NoneType", "None"],
    [undefined, "NoneType", "None"],
    [true, "bool", "True"],
    [5, "int", "5"],
    [-7n, "int", "-7"],
    [1n << 70n, "int", "1180591620717411303424"],
    [9007199254740993n, "int", "9007199254740993"],
    [1.5, "float", "1.5"],
    [-0, "float", "-0.0"],
    [Number.NaN, "float", "nan"],
    [Number.POSITIVE_INFINITY, "float", "+inf"],
    [1e300, "float", "1e+300"],
    [new Float(2), "float", "2.0"],
    ["é\n", "string", '"é\\n"'],
    [new Uint8Array([0, 255]), "bytes", 'b"\\x00\\xff"'],
    [[1, [2]], "list", "[1, [2]]"],
    [Object.freeze([1, 2]), "tuple", "(1, 2)"],
    [{ b: 1, a: [2] }, "dict", '{"b": 1, "a": [2]}'],
    [
      new Map<unknown, unknown>([
        [1, "x"],
        [Object.freeze([1]), 2],
      ]),
      "dict",
      '{1: "x", (1,): 2}',
    ],
    [new Set([1, "a"]), "set", 'set([1, "a"])'],
    [Object.assign(Object.create(null) as object, { k: 1 }), "dict", '{"k": 1}'],
  ])("%o is a %s in Starlark", (value, type, text) => {
    expect(describeValue(value)).toEqual([type, text]);
  });

  it.each([
    [1n << 70n],
    [-(1n << 64n)],
    [12],
    [1.25],
    ["héllo 😀"],
    [[1, ["a", null]]],
    [{ z: 1, a: { b: [true] } }],
    [
      new Map<unknown, unknown>([
        [1, 2],
        [null, 3],
        [true, 4],
      ]),
    ],
    [new Set([1, 2])],
    [new Uint8Array([1, 2, 3])],
  ])("%o comes back equal", (value) => {
    expect(roundTrip(value)).toEqual(value);
  });

  it("brings a tuple back as a frozen array and a list as one that is not", () => {
    expect(Object.isFrozen(roundTrip(Object.freeze([1])))).toBe(true);
    expect(Object.isFrozen(roundTrip([1]))).toBe(false);
  });

  it("keeps the order of keys that an object would move, in a Map", () => {
    const value = run('d = {"b": 1, "2": 2, "1": 3}').get("d");
    expect(value).toEqual(
      new Map([
        ["b", 1],
        ["2", 2],
        ["1", 3],
      ]),
    );
    expect(run('d = {"1": 1, "a": 2}').get("d")).toEqual({ "1": 1, a: 2 });
  });

  it("does not let a key reach the prototype", () => {
    const value = run('d = {"__proto__": 1, "a": 2}').get("d");
    expect(value instanceof Map ? value.get("__proto__") : Object.entries(value as object)).toEqual(
      value instanceof Map
        ? 1
        : [
            ["__proto__", 1],
            ["a", 2],
          ],
    );
    expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
  });

  it("keeps shared parts shared", () => {
    const shared = roundTrip(run("x = [1]\ny = [x, x]").get("y")) as unknown[];
    expect(shared[0]).toBe(shared[1]);
  });

  it("turns any JSON value into itself", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false, stringUnit: "grapheme" }), (value) => {
        expect(normalize(roundTrip(value))).toEqual(normalize(value));
      }),
    );
  });
});

describe("values that cannot cross are refused cleanly", () => {
  it.each([
    [
      "a cycle from the host",
      () => {
        const cycle: unknown[] = [];
        cycle.push(cycle);
        return cycle;
      },
    ],
    ["an object of a class", () => new Date(0)],
    ["a symbol", () => Symbol("x")],
    ["a key that cannot be hashed", () => new Map([[[1], 2]])],
    [
      "nesting without end",
      () => {
        let deep: unknown = 1;
        for (let level = 0; level < 10_000; level++) deep = [deep];
        return deep;
      },
    ],
  ])("%s", (_name, create) => {
    expect(() => roundTrip(create())).toThrow(StarlarkError);
  });

  it.each([
    ["x = []\nx.append(x)", /list that contains itself/],
    ["x = {}\nx[1] = x", /dict that contains itself/],
    ["x = range(1 << 50)", /range of/],
    ["def f():\n  x = []\n  for i in range(5000): x = [x]\n  return x\nx = f()", /nested more than 500 deep/],
  ])("%j does not leave Starlark", (source, reason) => {
    const program = run(source);
    expect(() => program.get("x")).toThrow(reason);
  });
});

/** What JSON and Starlark agree on: minus zero is zero, and a Map is an object. */
function normalize(value: unknown): unknown {
  if (typeof value === "number") return value + 0;
  if (Array.isArray(value)) return value.map(normalize);
  if (value instanceof Map) return new Map(Array.from(value, ([key, element]) => [key, normalize(element)]));
  if (typeof value === "object" && value !== null) {
    return new Map(Object.entries(value).map(([key, element]) => [key, normalize(element)]));
  }
  return value;
}
