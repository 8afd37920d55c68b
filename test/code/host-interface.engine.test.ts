import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultCodeLimits } from "../../packages/biplane/src/code/limits.ts";
import { codeBytes } from "../../packages/biplane/src/code/code-shares.ts";
import type { CodeHost } from "../../packages/biplane/src/code/engine.ts";
import type { ActionRunner, ContextState } from "../../packages/biplane/src/code/javascript/context.ts";
import { ThreadRunner } from "../../packages/biplane/src/code/javascript/thread-runner.ts";
import { WorkerRunner } from "../../packages/biplane/src/code/javascript/worker-runner.ts";
import { rawBindings } from "./raw-bridge.ts";

/** Notes what reaches the tools. */
class NotingHost implements CodeHost {
  readonly signal = new AbortController().signal;
  readonly calls: { tool: string; input: unknown }[] = [];

  call(name: string, input: unknown): unknown {
    this.calls.push({ tool: name, input });
    return name === "later" ? Promise.resolve("late") : input;
  }
}

describe.each([
  ["worker", () => new WorkerRunner(2)],
  ["thread", () => new ThreadRunner()],
] as const)("code that has the host's functions themselves, in a %s", (_, makeRunner) => {
  const runner: ActionRunner = makeRunner();
  let state: ContextState;
  beforeAll(async () => {
    const limits = { ...defaultCodeLimits, cpuMs: 20_000, calls: 50 };
    const bindings = await rawBindings(limits.memoryBytes);
    state = { bindings, limits, caller: undefined, keptBytes: codeBytes, image: undefined };
  });
  afterAll(() => runner.close());
  const run = async (code: string) => {
    const host = new NotingHost();
    const { result } = await runner.run({ ...state }, code, host);
    return { ...result, calls: host.calls };
  };

  test.each([
    ["the tool that runs code", `host.call("run_code", '{"code":"1"}')`, "TOOL_NOT_FOUND"],
    ["a name of megabytes", `host.call("x".repeat(8e6), "{}")`, "TOOL_NOT_FOUND"],
    ["a name of a prototype", `host.call("__proto__", "{}")`, "TOOL_NOT_FOUND"],
    ["a name that is no text", `host.call({}, "{}")`, "TOOL_NOT_FOUND"],
    ["no arguments at all", `host.call()`, "CANCELLED"],
    ["arguments of megabytes", `host.call("echo", JSON.stringify({ a: "x".repeat(5e6) }))`, "INVALID_INPUT"],
    ["millions of empty lists", `host.call("echo", '{"a":[' + "[],".repeat(1e6) + "1]}")`, "INVALID_INPUT"],
    ["deep arguments", `host.call("echo", '{"a":' + "[".repeat(500) + "]".repeat(500) + "}")`, "INVALID_INPUT"],
  ])("calls no tool with %s", async (_name, code, expected) => {
    const { value, calls } = await run(code);
    expect(calls).toEqual([]);
    expect(String(value)).toMatch(/^!/);
    expect(JSON.parse(String(value).slice(1))).toMatchObject({ code: expected });
  });

  test.each([
    ["not JSON", "{"],
    ["a list", "[1]"],
    ["a number", "5"],
    ["nothing", ""],
  ])("calls no tool with arguments that are %s", async (_name, text) => {
    const { calls, value } = await run(`host.call("echo", ${JSON.stringify(text)})`);
    expect(calls).toEqual([]);
    expect(value).toMatch(/^#1$|^!.*not an object/);
  });

  test.each([
    ["a value that is not JSON", "={", /not JSON/],
    ["an error that is not JSON", "!{", /cannot be read/],
    ["an error of other types", '!{"name":5,"message":[],"trace":{}}', /cannot be read/],
  ])("gets an error for %s", async (_name, forged, message) => {
    const { error } = await run(`host.forged = ${JSON.stringify(forged)}; 1`);
    expect(error?.message).toMatch(message);
  });

  test("cannot return more than it may, nor deeper", async () => {
    const long = await run(`host.forged = "=" + JSON.stringify("x".repeat(3e6)); 1`);
    expect(long.truncated).toBe(true);
    expect(String(long.value).length).toBeLessThan(300_000);
    const deep = await run(`host.forged = "=" + "[".repeat(5000) + "]".repeat(5000); 1`);
    expect(String(deep.value)).toContain("nested more than 128 levels deep");
  });

  test("reports only once, and makes no more calls than it may", async () => {
    expect((await run(`host.done("=1"); host.done("=2"); host.forged = "=3"; 1`)).value).toBe(1);
    const { error, calls } = await run(`for (let n = 0; n < 100; n++) host.call("echo", "{}"); 1`);
    expect(error).toMatchObject({ kind: "limit" });
    expect(calls.length).toBeLessThanOrEqual(50);
  });

  test("cannot fill the host with the arguments of calls that wait", async () => {
    const { value } = await run(
      `const text = JSON.stringify({ a: "x".repeat(4e6) }); const said = [];
       for (let n = 0; n < 8; n++) said.push(host.call("later", text).slice(0, 24)); said.at(-1)`,
    );
    expect(value).toBe('!{"code":"CAPACITY","mes');
  });

  test("asks about tools with anything, and gets an answer", async () => {
    const code = `[["list"], ["search", "5"], ["search", "[{},{}]"], ["search", '["' + "x".repeat(1e6) + '", 1e9]'], ["schema", "x".repeat(1e6)], ["other", "{"], []]
      .map((args) => { try { return typeof host.meta(...args) } catch (error) { return String(error) } })`;
    const { value } = await run(code);
    for (const answer of value as string[]) expect(answer).toMatch(/^string$|could not answer/);
  });
});
