import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterAll, describe, expect, test } from "vitest";
import { server } from "biplane";
import { codeTool } from "../../packages/biplane/src/code/code-tool.ts";
import type { CodeAnswer } from "../../packages/biplane/src/code/code-tool.ts";
import { starlarkEngine } from "../../packages/biplane/src/code/starlark/engine.ts";
import { starlarkAttacks } from "./starlark-attacks.ts";
import { toolsUnderAttack } from "./tools-under-attack.ts";

const engine = starlarkEngine({ workers: 2 });
const victim = server({ limits: false, name: "victim", version: "1.0.0", tools: toolsUnderAttack() });
codeTool(victim, { engines: [engine], limits: { cpuMs: 200, memoryBytes: 16 * 1024 * 1024, calls: 200 } });
const run = async (code: string, session: string): Promise<CodeAnswer> =>
  (await victim.call("run_code", { code }, { session })) as CodeAnswer;
afterAll(() => engine.close());

const loop = monitorEventLoopDelay({ resolution: 10 });

describe("an attack on the machine that runs Starlark is contained:", () => {
  test.each(starlarkAttacks)("%s", async (name, code, expected) => {
    await run("secretOfTheBystander = 'mine'", "bystander");
    loop.reset();
    loop.enable();
    const answer = await run(code, name);
    loop.disable();
    // All work on the code's values happens in a worker. Far above what is held, for machines that do other things.
    expect(loop.max / 1e6).toBeLessThan(3000);
    if (expected !== "contained" && "value" in expected) {
      expect(answer.error).toBeNull();
      expect(answer.result).toEqual(expected.value);
    } else if (expected !== "contained") {
      expect(answer.error).toMatchObject({ kind: expected.error });
      expect(answer.error?.message).toMatch(expected.message ?? /./);
    }
    expect(Buffer.byteLength(answer.stdout)).toBeLessThan(66_000);
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(700_000);
    expect(JSON.stringify(answer)).not.toMatch(/\/src\/|node:internal|secretOfTheBystander = /);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    // The same context goes on, and so does everybody else's.
    expect((await run("1 + 1", name)).result).toBe(2);
    expect((await run("secretOfTheBystander", "bystander")).result).toBe("mine");
  });
});

test("there are as many as were promised", () => {
  expect(starlarkAttacks.length).toBeGreaterThanOrEqual(60);
});
