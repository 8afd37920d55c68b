import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { server } from "biplane";
import { javascriptEngine } from "../../packages/biplane/src/code/javascript/engine.ts";
import { codeTool } from "../../packages/biplane/src/code/code-tool.ts";
import type { CodeAnswer } from "../../packages/biplane/src/code/code-tool.ts";
import { attacks } from "./attacks.ts";
import { toolsUnderAttack } from "./tools-under-attack.ts";

const engine = javascriptEngine({ workers: 2 });
const limits = { cpuMs: 200, memoryBytes: 16 * 1024 * 1024, calls: 200 };
const victim = server({ limits: false, name: "victim", version: "1.0.0", tools: toolsUnderAttack() });
const handler = codeTool(victim, { engines: [engine], limits });
/** For code that ends by itself, on however slow a machine. */
const patient = server({ limits: false, name: "patient", version: "1.0.0", tools: toolsUnderAttack() });
const patientEndpoint = codeTool(patient, { engines: [engine], limits: { ...limits, cpuMs: 20_000 } });
const run = async (code: string, session: string, by = victim): Promise<CodeAnswer> =>
  (await by.call("run_code", { code }, { session })) as CodeAnswer;

/** Someone else, who works beside every attack. */
const bystander = { latencies: [] as number[], count: 0 };
const loop = monitorEventLoopDelay({ resolution: 10 });
const before = { rss: 0 };

beforeAll(async () => {
  await run("let secretOfTheBystander = 'mine'; let count = 0", "bystander", patient);
  before.rss = process.memoryUsage.rss();
  loop.enable();
});

async function workBeside(): Promise<void> {
  const start = performance.now();
  const { result } = await run("count = await add(count, 1)", "bystander", patient);
  bystander.latencies.push(performance.now() - start);
  expect(result).toBe(++bystander.count);
}

afterAll(async () => {
  await handler.close();
  await patientEndpoint.close();
  await engine.close();
});

describe("an attack on the machine that runs code is contained:", () => {
  test.each(attacks)("%s", async (name, code, expected) => {
    const isHarmless = expected !== "contained" && "value" in expected;
    const [answer] = await Promise.all([run(code, name, isHarmless ? patient : victim), workBeside()]);
    if (expected !== "contained" && "value" in expected) {
      expect(answer.error).toBeNull();
      expect(answer.result).toEqual(expected.value);
    } else if (expected !== "contained") {
      expect(answer.error).toMatchObject({ kind: expected.error });
      expect(answer.error?.message).toMatch(expected.message ?? /./);
    }
    expect(Buffer.byteLength(answer.stdout)).toBeLessThan(66_000);
    expect(JSON.stringify(answer)).not.toMatch(/\/src\/code|node:internal|secretOfTheBystander = /);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

test("the same context goes on after an attack, as it was before it", async () => {
  await run("let kept = [1]", "again");
  for (const attack of [
    "kept.push(2); for (;;);",
    "kept.push(3); JSON.parse('['.repeat(200000))",
    "kept.push(4); const a = []; for (;;) a.push(new Array(1000).fill(7))",
  ]) {
    expect((await run(attack, "again")).error?.kind).toBe("limit");
    expect((await run("kept", "again")).result).toEqual([1]);
  }
  expect((await run("kept.push(5); throw 1", "again")).error?.kind).toBe("thrown");
  expect((await run("kept", "again")).result).toEqual([1, 5]);
});

test("errors that the host itself reads cannot be turned against it", async () => {
  for (const [session, trap] of [
    ["endless", "get() { for (;;); }"],
    ["throwing", "get() { throw new Error('trap') }"],
    ["strange", "get() { return { toString() { for (;;); } } }"],
  ] as const) {
    await run(
      `Object.defineProperty(SyntaxError.prototype, "name", { ${trap} }); Error.prepareStackTrace = () => { for (;;); }`,
      session,
    );
    const { error } = await run("let x = ;", session);
    expect(["syntax", "limit"]).toContain(error?.kind);
    expect(JSON.stringify(error)).not.toMatch(/\/src\/|node:/);
  }
});

test("meanwhile the others were served, the event loop ran and memory stayed", async () => {
  await workBeside();
  const sorted = bystander.latencies.toSorted((a, b) => a - b);
  const figures = {
    actions: sorted.length,
    medianMs: sorted[sorted.length >> 1] ?? 0,
    worstMs: sorted.at(-1) ?? 0,
    loopWorstMs: loop.max / 1e6,
    grownMb: (process.memoryUsage.rss() - before.rss) / 1e6,
  };
  if (process.env["BIPLANE_SOAK"]) console.log(figures);
  expect(figures.actions).toBeGreaterThan(50);
  expect(figures.medianMs).toBeLessThan(500);
  expect(figures.worstMs).toBeLessThan(8000);
  expect(figures.loopWorstMs).toBeLessThan(2000);
  expect(figures.grownMb).toBeLessThan(600);
});
