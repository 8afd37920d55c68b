import { describe, expect, it } from "vitest";
import { createNamespace, createObject, run, StarlarkError } from "@biplane/starlark";

describe("run", () => {
  it("returns the globals of the program", () => {
    const module = run('x = 1 + 2\ny = [x, "é", None, True]');
    expect(module.globals).toEqual({ x: 3, y: [3, "é", null, true] });
    expect(module.names).toEqual(["x", "y"]);
    expect(module.get("nosuch")).toBeUndefined();
    expect(module.steps).toBeGreaterThan(0);
  });

  it("calls functions of the module afterwards, by position and by name", () => {
    const module = run("def add(a, b = 10, *rest, **named): return [a + b, rest, named]");
    expect(module.call("add", [1])).toEqual([11, [], {}]);
    expect(module.call("add", [1, 2, 3], { named: { k: "v" } })).toEqual([3, [3], { k: "v" }]);
    expect((module.get("add") as (x: number) => unknown)(5)).toEqual([15, [], {}]);
  });

  it("freezes the globals once the file has run", () => {
    const module = run("x = []\nd = {}\ns = set()\ndef f(): x.append(1)\ndef g(): d[1] = 2\ndef h(): s.add(1)");
    expect(() => module.call("f")).toThrow("cannot append to frozen list");
    expect(() => module.call("g")).toThrow("cannot insert into frozen hash table");
    expect(() => module.call("h")).toThrow("cannot insert into frozen hash table");
  });

  it("freezes what closures and defaults hold", () => {
    const module = run(
      "def make():\n  n = [0]\n  def inc(by = [1]):\n    n[0] += by[0]\n    return n\n  return inc\ninc = make()",
    );
    expect(() => module.call("inc")).toThrow("cannot assign to element of frozen list");
  });

  it("gives the program functions and values of the host", () => {
    const calls: unknown[] = [];
    const record = (...args: unknown[]): number => calls.push(args);
    const module = run('record(1, "a", key = [2])\nn = record()\nx = limit + 1', { globals: { record, limit: 41 } });
    expect(calls).toEqual([[1, "a", { key: [2] }], []]);
    expect(module.globals).toEqual({ n: 2, x: 42 });
  });

  it("names a host function as it is named in the globals", () => {
    const module = run("x = str(double)\ny = double(4)", { globals: { double: (n: number) => n * 2 } });
    expect(module.globals).toEqual({ x: "<built-in function double>", y: 8 });
  });

  it("passes functions back and forth as themselves", () => {
    const module = run("def f(): return 7\nsame = identity(f) == f\nx = apply(f)\nback = identity(apply) == apply", {
      globals: { identity: (value: unknown) => value, apply: (callable: () => number) => callable() + 1 },
    });
    expect(module.get("same")).toBe(true);
    expect(module.get("x")).toBe(8);
    expect(module.get("back")).toBe(true);
  });

  it("wraps what a host function throws, with the Starlark call stack and the cause", () => {
    const cause = new TypeError("no such file");
    const error = failure("def f():\n  open(1)\nf()", {
      globals: {
        open: () => {
          throw cause;
        },
      },
    });
    expect(error.code).toBe("host");
    expect(error.reason).toBe("open: no such file");
    expect(error.cause).toBe(cause);
    expect(error.traceback).toBe(
      "Traceback (most recent call last):\n  main.star:3:2: in <toplevel>\n  main.star:2:7: in f\nError in open: open: no such file",
    );
  });

  it("refuses a promise, which only a pool can wait for", () => {
    expect(failure("f()", { globals: { f: async () => 1 } }).reason).toMatch(/returned a promise/);
  });

  it("prints whole lines, with a separator of the program's choice", () => {
    const lines: string[] = [];
    run('print("a", 1, [2])\nprint("x", "é", sep="-")\nprint()', { print: (line) => lines.push(line) });
    expect(lines).toEqual(["a 1 [2]", "x-é", ""]);
  });

  it("does the same every time", () => {
    const source = "d = {str(i): i for i in range(100)}\nx = [hash(k) for k in d]\ny = str(d)\nz = str(set(d))";
    expect(run(source).globals).toEqual(run(source).globals);
  });
});

describe("load", () => {
  it("takes names from the text of another file, run once", () => {
    const asked: string[] = [];
    const files: Record<string, string> = {
      "a.star": 'load("c.star", "base")\na = base + 1',
      "b.star": 'load("c.star", "base")\nb = base + 2',
      "c.star": "base = 10",
    };
    const module = run('load("a.star", "a")\nload("b.star", renamed = "b")\nx = a + renamed', {
      load: (name) => {
        asked.push(name);
        return files[name] ?? "";
      },
    });
    expect(module.globals).toEqual({ x: 23 });
    expect(asked).toEqual(["a.star", "c.star", "b.star"]);
  });

  it("takes names from a module that has run, or from host values", () => {
    const library = run("def twice(x): return x * 2");
    const module = run('load("lib", "twice")\nload("host", "n", "f")\nx = twice(n) + f()', {
      load: (name) => (name === "lib" ? library : { n: 4, f: () => 1 }),
    });
    expect(module.get("x")).toBe(9);
  });

  it("does not export loaded names, unless load binds globally", () => {
    const load = (): string => "a = 1";
    expect(run('load("m", "a")\nb = a', { load }).names).toEqual(["b"]);
    expect(run('load("m", "a")\nb = a', { load, dialect: { loadBindsGlobally: true } }).names).toEqual(["a", "b"]);
  });

  it("refuses modules that load each other", () => {
    const files: Record<string, string> = { a: 'load("b", "x")\ny = x', b: 'load("a", "y")\nx = y' };
    expect(failure('load("a", "y")', { load: (name) => files[name] ?? "" }).reason).toMatch(/cycle in load graph/);
  });

  it("says what is missing and what was meant", () => {
    const load = (): string => "freeze = 1";
    expect(failure('load("m", "froze")', { load }).reason).toBe(
      "load: name froze not found in module m (did you mean freeze?)",
    );
    expect(failure('load("m", "x")').reason).toBe("load not implemented by this application");
  });

  it("reports an error in a loaded file with its own place in the cause", () => {
    const error = failure('load("m", "x")', { load: () => "x = 1 // 0" });
    expect(error.reason).toBe("cannot load m: floored division by zero");
    expect((error.cause as StarlarkError).location).toEqual({ file: "m", line: 1, column: 7 });
  });
});

describe("host objects", () => {
  it("gives a namespace attributes", () => {
    const math = createNamespace("math", { pi: 3.5, floor: Math.floor });
    const module = run("x = math.floor(math.pi)\ny = dir(math)\nz = [str(math), type(math)]", { globals: { math } });
    expect(module.globals).toEqual({ x: 3, y: ["floor", "pi"], z: ['<module "math">', "module"] });
    expect(failure("math.flor", { globals: { math } }).reason).toBe(
      "module has no .flor field or method (did you mean .floor?)",
    );
    expect(failure("math.pi = 3", { globals: { math } }).reason).toBe("can't assign to .pi field of module");
  });

  it("lets the host decide about attributes, operators and iteration", () => {
    const fields: Record<string, unknown> = {};
    const point = createObject({
      type: "point",
      repr: () => "point!",
      get: (name) => fields[name],
      set: (name, value) => {
        fields[name] = value;
        return true;
      },
      names: () => Object.keys(fields),
      iterate: () => [1, 2, 3],
      binary: (operator, other, side) => `${operator} ${String(other)} ${side}`,
    });
    const source =
      "p.x = [1]\na = p.x\nb = [v for v in p]\nc = p + 1\nd = 2 * p\ne = str(p)\nf = type(p)\ng = {p: 1}[p]";
    expect(run(source, { globals: { p: point } }).globals).toEqual({
      a: [1],
      b: [1, 2, 3],
      c: "+ 1 left",
      d: "* 2 right",
      e: "point!",
      f: "point",
      g: 1,
    });
  });
});

describe("dialect", () => {
  it.each([
    ["x = set()", { set: false }, "this Starlark dialect does not support sets"],
    ["def f():\n  while True: pass", {}, "this Starlark dialect does not support while loops"],
    ["for x in []: pass", {}, "for loop not within a function"],
    ["if True: pass", {}, "if statement not within a function"],
    ["x = 1\nx = 2", {}, "cannot reassign global x declared at main.star:1:1"],
    ["def f(): return f()\nf()", {}, "function f called recursively"],
  ])("refuses %j", (source, dialect, reason) => {
    expect(failure(source, { dialect }).reason).toBe(reason);
  });

  it("allows each of them when asked", () => {
    const dialect = { while: true, topLevelControl: true, globalReassign: true, recursion: true };
    const source = "n = 0\nwhile n < 3: n += 1\nif n: n = 10\ndef f(k): return k if k < 1 else f(k - 1)\nn = n + f(5)";
    expect(run(source, { dialect }).get("n")).toBe(10);
  });
});

function failure(source: string, options: Parameters<typeof run>[1] = {}): StarlarkError {
  try {
    run(source, options);
  } catch (error) {
    if (error instanceof StarlarkError) return error;
    throw error;
  }
  throw new Error("the program ran to its end");
}
