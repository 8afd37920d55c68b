import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { server, tool } from "biplane";
import { starlarkEngine } from "../../packages/biplane/src/code/starlark/engine.ts";
import { codeTool } from "../../packages/biplane/src/code/code-tool.ts";
import type { CodeAnswer } from "../../packages/biplane/src/code/code-tool.ts";

const engine = starlarkEngine({ workers: 1 });
afterAll(() => engine.close());

const gateway = server({
  limits: false,
  name: "files",
  version: "1.0.0",
  tools: [
    tool({
      name: "read_text_file",
      description: "Reads a file",
      input: z.object({ path: z.string(), head: z.number().optional() }),
      run: async ({ path, head }) => `${path}\nneedle ${head ?? "all"}\nhay`,
    }),
    tool({ name: "browser.open", description: "Opens a page", run: () => ({ opened: true }) }),
    tool({
      name: "fail",
      description: "Fails",
      run: () => {
        throw new Error("out of order");
      },
    }),
  ],
});
codeTool(gateway, { engines: [engine], limits: { cpuMs: 300, calls: 20 } });
const run = async (code: string, session?: string): Promise<CodeAnswer> =>
  (await gateway.call("run_code", { code }, { ...(session && { session }) })) as CodeAnswer;

test("an action of OpenEnv's own proposal runs as it stands", async () => {
  const code = `
text = read_text_file('~/file.txt', head=100)
return [l for l in text.split("\\n") if "needle" in l]
`;
  expect(await run(code)).toMatchObject({ result: ["needle 100"], error: null });
  expect((await run(`\nreturn [t for t in list_tools() if 'browser' in t]\n`)).result).toEqual(["browser.open"]);
});

test("the last expression is the result, and a return anywhere at the top ends it", async () => {
  expect((await run("x = 2\nx + 1")).result).toBe(3);
  expect((await run("x = 2")).result).toBeNull();
  expect((await run('if len(list_tools()) > 2:\n  return """two\nlines"""\nelse:\n  return 1\n')).result).toBe(
    "two\nlines",
  );
  expect((await run("def f(n):\n  return n * 2\nfor i in range(3):\n  if i == 1:\n    return f(i)\n9")).result).toBe(2);
});

test("data stays for the next action of a session, functions do not", async () => {
  await run("seen = {'a': [1]}\ndef f(): return 1", "one");
  expect((await run("seen['a'].append(2)\nseen", "one")).result).toEqual({ a: [1, 2] });
  expect((await run("f()", "one")).error).toMatchObject({ kind: "syntax" });
  expect((await run("seen", "two")).error).toMatchObject({ kind: "syntax" });
});

test("a failing call ends the code with its code, unless it is tried", async () => {
  const { error, calls, stdout } = await run('print("before")\nfail()');
  expect([stdout, calls]).toEqual(["before\n", [{ tool: "fail", input: {}, outcome: "EXECUTION_ERROR" }]]);
  expect(error).toMatchObject({ kind: "thrown", code: "EXECUTION_ERROR", message: "out of order" });
  const tried = await run(
    '[try_tool("fail"), try_tool("read_text_file", 5)["code"], try_tool("browser.open")["value"]]',
  );
  const message = { ok: false, code: "EXECUTION_ERROR", message: "out of order" };
  expect(tried.result).toEqual([message, "INVALID_INPUT", { opened: true }]);
});

test("what takes too much ends with a limit", async () => {
  expect((await run("while True: pass")).error?.kind).toBe("limit");
  expect((await run("x = [1]\nfor i in range(100): x = x + x")).error?.kind).toBe("limit");
  expect((await run("def f(): return f()\nf()")).error).not.toBeNull();
  expect((await run("for i in range(100): read_text_file('a')")).error?.kind).toBe("limit");
  expect((await run(`# ${"x".repeat(200_000)}`)).error?.kind).toBe("limit");
  expect((await run("(".repeat(10_000))).error?.kind).toBe("syntax");
  expect((await run("1 + 1")).result).toBe(2);
});

test("an error names the agent's own line", async () => {
  expect((await run("x = 1\ny = x.nosuch\nreturn y")).error?.message).toContain("action.star:2:6");
});
