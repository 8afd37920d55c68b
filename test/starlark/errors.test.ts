import { describe, expect, it } from "vitest";
import { run, StarlarkError } from "@biplane/starlark";

describe("an error says where it happened", () => {
  it("has the file, line, column, source line and caret", () => {
    const error = failure('x = 1\ny = "é" + [x]', "config.star");
    expect(error.message).toBe("config.star:2:9: unknown binary op: string + list");
    expect(error.location).toEqual({ file: "config.star", line: 2, column: 9 });
    expect(error.excerpt).toBe('    y = "é" + [x]\n            ^');
    expect(error.code).toBe("evaluation");
  });

  it("has the call stack as starlark-go prints it", () => {
    const source = "def inner(x):\n  return x.nosuch\ndef outer():\n  return sorted([1, 2], key = inner)\nouter()";
    const error = failure(source);
    expect(error.traceback).toBe(
      [
        "Traceback (most recent call last):",
        "  main.star:5:6: in <toplevel>",
        "  main.star:4:16: in outer",
        "  <builtin>: in sorted",
        "  main.star:2:11: in inner",
        "Error: int has no .nosuch field or method",
      ].join("\n"),
    );
    expect(error.frames.map(({ name }) => name)).toEqual(["<toplevel>", "outer", "sorted", "inner"]);
  });

  it("names the built-in that failed", () => {
    expect(failure('fail("no", "luck")').traceback).toBe(
      "Traceback (most recent call last):\n  main.star:1:5: in <toplevel>\nError in fail: fail: no luck",
    );
  });

  it("lists every static problem, first the first", () => {
    const error = failure("x = nosuch\ny = x +\n");
    expect(error.problems).toHaveLength(1);
    const several = failure("x = one\ny = two\nx = 3\nbreak");
    expect(several.problems.map(({ reason, location }) => `${location.line}:${location.column} ${reason}`)).toEqual([
      "1:5 undefined: one",
      "2:5 undefined: two",
      "3:1 cannot reassign global x declared at main.star:1:1",
      "4:1 break not in a loop",
    ]);
    expect(several.code).toBe("syntax");
  });

  it("shortens a very long line around the caret", () => {
    const error = failure(`x = [${"1, ".repeat(5000)}] + 1`);
    expect(error.excerpt?.split("\n").every((line) => line.length < 200)).toBe(true);
  });

  it("leaves the module usable after a failure", () => {
    const module = run("def f(x): return [1][x]\ndef g(): return f(0)");
    expect(() => module.call("f", [5])).toThrow("out of range");
    expect(module.call("g")).toBe(1);
    expect(() => module.call("f", [6])).toThrow("out of range");
  });

  it("lets a list change again after iterating over it failed", () => {
    const lines: string[] = [];
    run("x = [1]\ndef f():\n  for v in x: fail()\ncatch(f)\nx.append(2)\nprint(x)", {
      globals: {
        catch: (callable: () => void) => {
          expect(callable).toThrow("fail:");
        },
      },
      print: (line) => lines.push(line),
    });
    expect(lines).toEqual(["[1, 2]"]);
  });
});

function failure(source: string, file = "main.star"): StarlarkError {
  try {
    run(source, { file });
  } catch (error) {
    if (error instanceof StarlarkError) return error;
    throw error;
  }
  throw new Error("the program ran to its end");
}
