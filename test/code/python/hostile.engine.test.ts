import { writeFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BiplaneError } from "../../../packages/core/src/errors.ts";
import type { CodeContext, CodeHost } from "../../../packages/biplane/src/code/engine.ts";
import { pythonEngine } from "../../../packages/biplane/src/code/python/engine.ts";
import { type Attack, escapes, exhaustion, tampering } from "./attacks.ts";
import { echo, hostOf, valueOf } from "./fixture.ts";

const engine = pythonEngine({ warm: 2 });
const secret = "the-host-has-a-secret";
const host = hostOf({ echo: ({ value }: { value: unknown }) => value });
const latencies: number[] = [];
let neighbour: CodeContext;
let memoryBefore = 0;
let shared: CodeContext | undefined;

beforeAll(async () => {
  process.env["BIPLANE_HOSTILE_TEST"] = secret;
  neighbour = await engine.open({ tools: [echo] });
  await valueOf(neighbour, "kept = {'a': [1, 2]}");
  memoryBefore = process.memoryUsage().rss;
});

afterAll(async () => {
  await engine.close();
  delete process.env["BIPLANE_HOSTILE_TEST"];
});

test.each([...escapes, ...exhaustion, ...tampering])("$name is contained", async (attack: Attack) => {
  const victim = await victimFor(attack);
  const [result] = await Promise.all([victim.run(attack.code, host), workBeside()]);
  if (attack.error !== undefined) expect(result.error?.name).toMatch(exactly(attack.error));
  if ("value" in attack) expect(result).toMatchObject({ value: attack.value, error: undefined });
  const told = JSON.stringify(result);
  expect(told.length).toBeLessThan(700_000);
  for (const word of [secret, process.cwd(), "node_modules", "root:x:", ".ts:"]) expect(told).not.toContain(word);
  expect(Object.prototype).not.toHaveProperty("polluted");
  expect(await recovers(victim)).toBe(true);
  if (victim !== shared) await victim.close();
});

/** Attempts that leave the interpreter as it was share one. */
async function victimFor(attack: Attack): Promise<CodeContext> {
  if (escapes.includes(attack)) return (shared ??= await engine.open({ tools: [echo], limits: { cpuMs: 15_000 } }));
  const cpuMs = String(attack.error).includes("CpuLimit") ? 400 : 15_000;
  return engine.open({ tools: [echo], limits: { cpuMs } });
}

/** Another context works beside every attack, and must not notice. */
async function workBeside(): Promise<void> {
  const start = performance.now();
  expect(await valueOf(neighbour, "[kept, echo(value=3)]", host)).toEqual([{ a: [1, 2] }, 3]);
  latencies.push(performance.now() - start);
}

function exactly(name: string | RegExp): RegExp {
  return typeof name === "string" ? new RegExp(`^${name}$`) : name;
}

/** At the latest after being told that its state was lost, code runs again. */
async function recovers(victim: CodeContext): Promise<boolean> {
  for (let attempt = 0; attempt < 4; attempt++) {
    const { value } = await victim.run("1 + 1", host);
    if (value === 2) return true;
  }
  return false;
}

class Sharp {
  toJSON(): never {
    throw new Error("no");
  }
}
const circle: Record<string, unknown> = {};
circle["self"] = [circle, circle];
let deep: unknown = 0;
for (let depth = 0; depth < 50_000; depth++) deep = [deep];

test.each<[what: string, given: unknown, seen: unknown]>([
  ["names that mean something to Python", { __class__: "str", __reduce__: ["os.system", "id"] }, "dict"],
  ["names that mean something to JavaScript", JSON.parse('{"__proto__":{"polluted":1}}'), "dict"],
  ["nothing", undefined, "NoneType"],
  ["a number that is none", Number.NaN, "NoneType"],
  ["an endless number", Number.POSITIVE_INFINITY, "NoneType"],
  ["a very large number", 1e308, "float"],
  ["a big integer", 2n ** 80n, "str"],
  ["odd text", "\ud800\0\u2028\u202e\uffff", "str"],
  ["a function", () => 1, "NoneType"],
  ["a symbol", Symbol("x"), "NoneType"],
  ["a date", new Date(0), "str"],
  ["a map", new Map([[1, 2]]), "dict"],
  ["many keys", Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, n])), "dict"],
  ["text that looks like an error", { error: "x", code: "y" }, "dict"],
  ["text of 20 MB", "x".repeat(20_000_000), "EXECUTION_ERROR"],
  ["a circle", circle, "EXECUTION_ERROR"],
  ["something deep", deep, "EXECUTION_ERROR"],
  ["something that throws when looked at", new Sharp(), "EXECUTION_ERROR"],
])("a tool's result with %s does no harm", async (_what, given, seen) => {
  const poisoned: CodeHost = { call: () => given, signal: host.signal };
  const code = "try:\n  r = type(echo(value=1)).__name__\nexcept ToolError as e:\n  r = e.code\nr";
  expect(await valueOf(neighbour, code, poisoned)).toBe(seen);
  expect(await valueOf(neighbour, "echo(value='still here')", host)).toBe("still here");
});

test.each<[what: string, thrown: unknown, code: string]>([
  ["text", "just text", "EXECUTION_ERROR"],
  ["nothing", undefined, "EXECUTION_ERROR"],
  ["a megabyte", new Error("x".repeat(1_000_000)), "EXECUTION_ERROR"],
  ["one of ours", new BiplaneError("POLICY_DENIED", "no"), "POLICY_DENIED"],
])("a tool that throws %s raises a ToolError", async (_what, thrown, code) => {
  const throwing: CodeHost = { call: () => Promise.reject(thrown), signal: host.signal };
  const { error } = await neighbour.run("echo(value=1)", throwing);
  expect(error).toMatchObject({ name: "ToolError", code });
  expect(error?.message.length).toBeLessThanOrEqual(10_000);
});

test("all the while the other context was quick, and memory is given back", async () => {
  const worst = Math.max(...latencies);
  const sorted = latencies.toSorted((a, b) => a - b);
  const figures = {
    actions: sorted.length,
    medianMs: Math.round(sorted[sorted.length >> 1] ?? 0),
    p95Ms: Math.round(sorted[Math.floor(sorted.length * 0.95)] ?? 0),
    worstMs: Math.round(worst),
    memoryMb: Math.round((process.memoryUsage().rss - memoryBefore) / 1e6),
  };
  if (process.env["BIPLANE_FIGURES"]) writeFileSync(process.env["BIPLANE_FIGURES"], JSON.stringify(figures));
  expect(figures.actions).toBeGreaterThan(10);
  expect(figures.p95Ms).toBeLessThan(2000);
  expect(figures.memoryMb).toBeLessThan(600);
});
