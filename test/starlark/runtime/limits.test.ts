import { describe, expect, it } from "vitest";
import { run, StarlarkError, type Limits } from "@biplane/starlark";

const loop = "def f():\n  for i in range(1 << 50): pass\nf()";

describe("limits", () => {
  it("stop a program after so many steps, the same number every time", () => {
    const printed = [countPrints(1000), countPrints(1000)];
    expect(printed[0]).toBe(printed[1]);
    expect(printed[0]).toBeGreaterThan(50);
    expect(printed[0]).toBeLessThan(1000);
  });

  it("allow exactly the steps a program needs", () => {
    const source = "def f():\n  x = 0\n  for i in range(100): x += i\nf()";
    const { steps } = run(source);
    expect(run(source, { limits: { steps } }).steps).toBe(steps);
    expect(failure(source, { steps: steps - 1 }).code).toBe("limit");
  });

  it("stop a program at its deadline, by the clock they are given", () => {
    let now = 0;
    const error = catchError(() => run(loop, { limits: { timeMs: 50 }, now: () => (now += 10) }));
    expect(error.reason).toBe("Starlark computation cancelled: more than 50 ms");
    expect(error.location?.line).toBe(2);
  });

  it("stop a program that allocates too much", () => {
    const error = failure('def f():\n  x = "ab"\n  for i in range(99): x += x\nf()', { memoryBytes: 1 << 20 });
    expect(error.reason).toBe("Starlark computation cancelled: more than 1048576 bytes allocated");
  });

  it("do not count arithmetic on small values as memory", () => {
    const source = "def f():\n  x = 0.5\n  for i in range(50000): x = x * 0.5 + 1.0\nf()";
    expect(() => run(source, { limits: { memoryBytes: 10_000 } })).not.toThrow();
  });

  it("stop a program that calls too deeply", () => {
    const source = "def f(n): return 0 if n == 0 else 1 + f(n - 1)\nx = f(50)";
    const dialect = { recursion: true };
    expect(run(source, { dialect, limits: { callDepth: 60 } }).get("x")).toBe(50);
    expect(catchError(() => run(source, { dialect, limits: { callDepth: 40 } })).reason).toBe(
      "Starlark stack overflow",
    );
  });

  it("stop a program that prints too much", () => {
    expect(failure('print("x" * 200)', { outputBytes: 100 }).reason).toMatch(/more than 100 bytes printed/);
  });

  it("start afresh with every call of a function", () => {
    const module = run("def f():\n  for i in range(100): pass\n  return 1", { limits: { steps: 500 } });
    for (let count = 0; count < 20; count++) expect(module.call("f")).toBe(1);
    expect(() => module.call("f", [], { limits: { steps: 10 } })).toThrow("too many steps");
  });

  it("hold for what the host calls back in the middle of a program", () => {
    const source = "def f():\n  for i in range(500): pass\ndef g():\n  for i in range(100): apply(f)\ng()";
    const apply = (callable: () => void): void => callable();
    const error = catchError(() => run(source, { globals: { apply }, limits: { steps: 10_000 } }));
    expect(error.reason).toBe("Starlark computation cancelled: too many steps");
    const recursive = "def f(): apply(f)\nf()";
    const overflow = catchError(() => run(recursive, { globals: { apply }, dialect: { recursion: true } }));
    expect(overflow.reason).toBe("Starlark stack overflow");
  });

  it("give way to an abort signal", () => {
    const error = catchError(() => run(loop, { signal: AbortSignal.abort(new Error("enough")) }));
    expect(error.code).toBe("cancelled");
    expect(error.cause).toEqual(new Error("enough"));
  });
});

function countPrints(steps: number): number {
  let count = 0;
  catchError(() =>
    run("def f():\n  for i in range(1 << 50): print(i)\nf()", { limits: { steps }, print: () => count++ }),
  );
  return count;
}

function failure(source: string, limits: Limits): StarlarkError {
  return catchError(() => run(source, { limits }));
}

function catchError(attempt: () => unknown): StarlarkError {
  try {
    attempt();
  } catch (error) {
    if (error instanceof StarlarkError) return error;
    throw error;
  }
  throw new Error("nothing failed");
}
