import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createPool, run, StarlarkError } from "@biplane/starlark";

const readme = readFileSync(new URL("../../packages/starlark/README.md", import.meta.url), "utf8");

describe("the README", () => {
  it("shows a program that runs and returns what it says", () => {
    const [, source = ""] = /run\(\n {2}`\n([^`]*)`/.exec(readme) ?? [];
    const module = run(source, { file: "demo.star", globals: { double: (n: number) => n * 2 } });
    expect(module.get("answer")).toBe(42);
    expect(module.call("greet", ["Ada"], { named: { times: 2 } })).toEqual(["hello, Ada", "hello, Ada"]);
  });

  it("shows an error report as it is printed", () => {
    const [, report] = /```\n(Traceback[^`]*)\n```/.exec(readme) ?? [];
    expect(reportOf("def f(x):\n    return x.nosuch\nf(1)\n")).toBe(report);
  });

  it("shows a pool that waits for the host", async () => {
    const [, source = ""] = /pool\.run\('([^\n]*)', \{/.exec(readme) ?? [];
    await using pool = createPool({ size: 1, limits: { timeMs: 10_000 } });
    const { result } = await pool.run(source, {
      globals: { fetch_weather: async (city: string) => ({ city, temperature: 21.5 }) },
      call: { name: "main", args: ["Oslo"] },
    });
    expect(result).toBe(21.5);
  });

  it("shows evaluations that share their state", async () => {
    const [, first = "", second = ""] =
      /pool\.evaluate\('([^\n]*)', options\)[^]*pool\.evaluate\("([^\n]*)", \{/.exec(readme) ?? [];
    await using pool = createPool({ size: 1 });
    const functions = { weather: async (city: unknown) => ({ city, temperature: 21.5 }) };
    const options = { dialect: { topLevelReturn: true }, functions };
    const { json, state } = await pool.evaluate(first.replaceAll("\\n", "\n"), options);
    expect(json).toBe("21.5");
    expect((await pool.evaluate(second, { ...options, state })).json).toBe("43");
  });
});

function reportOf(source: string): string {
  try {
    run(source, { file: "demo.star" });
    return "";
  } catch (error) {
    if (error instanceof StarlarkError) return error.report;
    throw error;
  }
}
