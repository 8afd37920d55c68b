import { afterAll, describe, expect, it } from "vitest";
import { createNamespace, createObject, createPool, StarlarkError, type PoolRunOptions } from "@biplane/starlark";

const pool = createPool({ size: 2 });
afterAll(() => pool.close());

describe("a pool", () => {
  it("runs programs in workers and brings their globals back", async () => {
    const { globals, steps } = await pool.run('x = 1 << 70\ny = (1.5, b"a", {1: set([2])})\nz = "é"');
    expect(globals).toEqual({
      x: 1n << 70n,
      y: [1.5, new Uint8Array([97]), new Map([[1, new Set([2])]])],
      z: "é",
    });
    expect(Object.isFrozen(globals["y"])).toBe(true);
    expect(steps).toBeGreaterThan(0);
  });

  it("calls a function of the program", async () => {
    const call = { name: "main", args: [1, [2]], named: { c: { k: 3n } } };
    const { result } = await pool.run("def main(a, b, c): return [a, b, c]", { call });
    expect(result).toEqual([1, [2], { k: 3 }]);
    await expect(pool.run("x = 1", { call: { name: "main" } })).rejects.toThrow("main.star has no global main");
  });

  it("waits for asynchronous functions of the host", async () => {
    const fetchText = async (url: string, options?: { retries: number }): Promise<unknown> => {
      await new Promise((resolve) => setImmediate(resolve));
      return { url, retries: options?.retries ?? 0, data: [1, 2.5, null] };
    };
    const source = 'pages = [fetch("u%d" % i) for i in range(3)]\nlast = fetch("é", retries = 2)';
    const { globals } = await pool.run(source, { globals: { fetch: fetchText } });
    expect(globals["last"]).toEqual({ url: "é", retries: 2, data: [1, 2.5, null] });
    expect(globals["pages"]).toHaveLength(3);
  });

  it("reaches functions in namespaces and in results of functions", async () => {
    const tools = createNamespace("tools", { add: (a: number, b: number) => a + b, name: "calc" });
    const make = (): unknown => ({ twice: (n: number) => n * 2 });
    const { globals } = await pool.run('x = tools.add(1, 2)\ny = make()["twice"](5)\nz = tools.name', {
      globals: { tools, make },
    });
    expect(globals).toEqual({ x: 3, y: 10, z: "calc" });
  });

  it("wraps the error of a host function and keeps the error itself as the cause", async () => {
    const cause = new RangeError("nope");
    const error = await failure("def f():\n  boom(1)\nf()", { globals: { boom: () => Promise.reject(cause) } });
    expect(error.code).toBe("host");
    expect(error.reason).toBe("boom: nope");
    expect(error.cause).toBe(cause);
    expect(error.traceback).toContain("main.star:2:7: in f");
    expect(error.excerpt).toContain("boom(1)");
  });

  it("loads other files, asynchronously too", async () => {
    const files: Record<string, string> = { "lib.star": 'load("base.star", "n")\nx = n + 1', "base.star": "n = 41" };
    const load = async (name: string): Promise<string> => files[name] ?? Promise.reject(new Error(`no ${name}`));
    expect((await pool.run('load("lib.star", "x")\ny = x', { load })).globals).toEqual({ y: 42 });
    const error = await failure('load("gone.star", "x")', { load });
    expect(error.reason).toBe("cannot load gone.star: no gone.star");
    const values = { load: () => ({ f: async () => 5 }) };
    expect((await pool.run('load("host", "f")\ny = f()', values)).globals).toEqual({ y: 5 });
  });

  it("prints in order", async () => {
    const lines: string[] = [];
    await pool.run('def f():\n  for i in range(5): print(i, "é")\nf()', { print: (line) => lines.push(line) });
    expect(lines).toEqual(["0 é", "1 é", "2 é", "3 é", "4 é"]);
  });

  it("reports static errors and failures like a run in this thread", async () => {
    const error = await failure("x = nosuch\ny = other");
    expect(error.code).toBe("syntax");
    expect(error.problems).toHaveLength(2);
    expect((await failure("x = 1 // 0")).message).toBe("main.star:1:7: floored division by zero");
  });

  it("refuses what cannot be sent", async () => {
    const odd = createObject({ type: "odd" });
    await expect(pool.run("x = 1", { globals: { odd } })).rejects.toThrow("cannot send a odd to a worker");
    expect((await failure("x = []\nx.append(x)")).reason).toMatch(/contains itself/);
    const { globals } = await pool.run("def f(): pass");
    expect(globals["f"] as () => void).toThrow("f lives in a worker");
  });

  it("has no environment and no way out", async () => {
    const { globals } = await pool.run("x = dir(None)");
    expect(globals).toEqual({ x: [] });
    expect((await failure("x = process")).reason).toBe("undefined: process");
  });
});

describe("a pool stops programs", () => {
  it("at a deadline, with a call stack when they are computing", async () => {
    const stopped = (): Promise<StarlarkError> =>
      failure("def f():\n  for i in range(1 << 50): pass\nf()", {
        limits: { timeMs: 50, steps: Number.POSITIVE_INFINITY },
      });
    const error = await stopped();
    expect(error.code).toBe("limit");
    expect(error.reason).toBe("Starlark computation cancelled: more than 50 ms");
    // A worker that is still starting, or gets no processor in time, is terminated and has no call stack to show.
    await expect.poll(async () => (await stopped()).traceback).toContain("in f");
  });

  it("at a deadline, when they wait for a host function that never answers", async () => {
    const hang = (): Promise<never> => new Promise(() => undefined);
    const error = await failure("hang()", { globals: { hang }, limits: { timeMs: 50 } });
    expect(error.code).toBe("limit");
    expect((await pool.run("x = 1")).globals).toEqual({ x: 1 });
  });

  it("when a signal fires, whether they run or wait for their turn", async () => {
    const controller = new AbortController();
    const options = { signal: controller.signal, globals: { stop: () => controller.abort(new Error("stopped")) } };
    const source = "def f():\n  stop()\n  for i in range(1 << 50): pass\nf()";
    const errors = await Promise.all([failure(source, options), failure(source, options), failure(source, options)]);
    expect(errors.map(({ code }) => code)).toEqual(["cancelled", "cancelled", "cancelled"]);
    await expect(pool.run("x = 1", { signal: controller.signal })).rejects.toThrow("cancelled");
    expect((await pool.run("x = 2")).globals).toEqual({ x: 2 });
  });

  it("when they exceed any other limit", async () => {
    expect((await failure('x = "a" * 1000', { limits: { memoryBytes: 100 } })).reason).toMatch(/bytes allocated/);
    expect((await failure("x = [i for i in range(99999)]", { limits: { steps: 100 } })).reason).toMatch(/steps/);
  });

  it("when their memory runs out in spite of the limits", async () => {
    await using small = createPool({ size: 1, heapMb: 24 });
    const unlimited = { memoryBytes: Number.POSITIVE_INFINITY };
    const error = await failure('x = ["%d" % i for i in range(100000000)]', { limits: unlimited }, small);
    expect(error.code).toBe("limit");
    expect(error.reason).toBe("the worker ran out of memory");
    expect((await small.run("x = 1")).globals).toEqual({ x: 1 });
  });

  it("when it is closed", async () => {
    await using small = createPool({ size: 1 });
    const running = failure("hang()", { globals: { hang: () => small.close().then(() => 1) } }, small);
    const waiting = failure("x = 1", {}, small);
    expect((await running).reason).toBe("the pool was closed");
    expect((await waiting).reason).toBe("the pool was closed");
    await expect(small.run("x = 1")).rejects.toThrow("the pool was closed");
  });
});

async function failure(source: string, options: PoolRunOptions = {}, from = pool): Promise<StarlarkError> {
  try {
    await from.run(source, options);
  } catch (error) {
    if (error instanceof StarlarkError) return error;
    throw error;
  }
  throw new Error("the program ran to its end");
}
