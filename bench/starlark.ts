import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createPool, run } from "@biplane/starlark";
import { GoReference, prepareReference } from "../test/starlark/reference/go-reference.ts";

/**
 * Compares the interpreter with starlark-go and starlark-rust (starlark-pyo3 in a venv) in the same run. Prepare:
 *   python3 -m venv .cache/starlark-venv && .cache/starlark-venv/bin/pip install starlark-pyo3
 */
const programs = {
  arithmetic:
    "def main():\n  total = 0\n  for i in range(2000000):\n    total = (total + i * 2) % 1000003\n  return total\n",
  calls:
    "def add(a, b):\n  return a + b\ndef main():\n  total = 0\n  for i in range(500000):\n    total = add(total, i)\n  return total\n",
  lists:
    "def main():\n  x = []\n  for i in range(500000):\n    x.append(i)\n  total = 0\n  for v in x:\n    total += v\n  return total\n",
  dicts:
    "def main():\n  d = {}\n  for i in range(300000):\n    d[i % 1000] = d.get(i % 1000, 0) + 1\n  return len(d)\n",
  strings:
    'def main():\n  parts = []\n  for i in range(100000):\n    parts.append("item %d" % i)\n  return len(",".join(parts))\n',
  comprehensions: "def main():\n  return len([x * x for x in range(1000000) if x % 3 == 0])\n",
  sieve:
    "def main():\n  n = 300000\n  flags = [True] * (n + 1)\n  for i in range(2, n + 1):\n    if flags[i] and i * i <= n:\n      for j in range(i * i, n + 1, i):\n        flags[j] = False\n  return len([i for i in range(2, n + 1) if flags[i]])\n",
};

const leastStepsPerSecond = 10_000_000;
const mostWarmStartMs = 2;
const rounds = 5;

const ours = new Map<string, { ms: number; stepsPerSecond: number }>();
for (const [name, source] of Object.entries(programs)) ours.set(name, timeOurs(source));
const go = prepareReference() ? await timeGo() : undefined;
const rust = timeRust();
const warmStartMs = await timeWarmStart();

console.log("program            ours      steps/s   starlark-go  starlark-rust");
for (const [name, { ms, stepsPerSecond }] of ours) {
  const [goMs, rustMs] = [go?.get(name), rust?.get(name)].map((value) => value?.toFixed(0).padStart(9) ?? "   absent");
  const million = `${(stepsPerSecond / 1e6).toFixed(0)} M`;
  console.log(`${name.padEnd(15)} ${ms.toFixed(0).padStart(5)} ms  ${million.padStart(9)}  ${goMs} ms   ${rustMs} ms`);
}
console.log(`warm start of a program in a worker: ${warmStartMs.toFixed(3)} ms (median)`);

/** The bound applies to programs of simple steps. A step of the others may format or join a string. */
const simplePrograms = ["arithmetic", "calls", "comprehensions", "sieve"];
const stepsPerSecond = Math.min(...simplePrograms.map((name) => ours.get(name)?.stepsPerSecond ?? 0));
const bounds = {
  stepsPerSecond: { value: Math.round(stepsPerSecond), atLeast: leastStepsPerSecond },
  warmStartMs: { value: Number(warmStartMs.toFixed(3)), atMost: mostWarmStartMs },
};
/** Speed relative to each reference; below 1 is slower. */
const ratios = { go: ratiosTo(go), rust: ratiosTo(rust) };
console.log(JSON.stringify({ bench: "starlark", ratios, bounds }));
process.exit(stepsPerSecond >= leastStepsPerSecond && warmStartMs < mostWarmStartMs ? 0 : 1);

function timeOurs(source: string): { ms: number; stepsPerSecond: number } {
  const whole = `${source}result = main()\n`;
  const limits = { memoryBytes: 4 * 1024 ** 3 };
  let best = Number.POSITIVE_INFINITY;
  let steps = 0;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    steps = run(whole, { limits }).steps;
    best = Math.min(best, performance.now() - start);
  }
  return { ms: best, stepsPerSecond: (steps / best) * 1000 };
}

async function timeGo(): Promise<Map<string, number>> {
  using reference = new GoReference();
  const times = new Map<string, number>();
  for (const [name, source] of Object.entries(programs)) {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round++) {
      const start = performance.now();
      const { error } = await reference.run(`${source}result = main()\n`);
      if (error !== "") throw new Error(error);
      best = Math.min(best, performance.now() - start);
    }
    times.set(name, best);
  }
  return times;
}

function timeRust(): Map<string, number> | undefined {
  const python = fileURLToPath(new URL("../.cache/starlark-venv/bin/python", import.meta.url));
  if (!existsSync(python)) return undefined;
  const script = [
    "import json, sys, time, starlark",
    "times = {}",
    "for name, source in json.load(sys.stdin).items():",
    "  best = 1e9",
    `  for _ in range(${rounds}):`,
    "    start = time.perf_counter()",
    '    starlark.eval(starlark.Module(), starlark.parse("main.star", source + "main()\\n"), starlark.Globals.standard())',
    "    best = min(best, time.perf_counter() - start)",
    "  times[name] = best * 1000",
    "print(json.dumps(times))",
  ].join("\n");
  const { status, stdout, stderr } = spawnSync(python, ["-c", script], {
    input: JSON.stringify(programs),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return new Map(Object.entries(JSON.parse(stdout) as Record<string, number>));
}

async function timeWarmStart(): Promise<number> {
  await using pool = createPool({ size: 1 });
  const times: number[] = [];
  for (let round = 0; round < 300; round++) {
    const start = performance.now();
    await pool.run("x = 1 + 1");
    times.push(performance.now() - start);
  }
  return times.slice(50).toSorted((a, b) => a - b)[125] ?? Number.POSITIVE_INFINITY;
}

function ratiosTo(reference: Map<string, number> | undefined): Record<string, number> {
  const entries = Array.from(reference ?? [], ([name, ms]) => [
    name,
    Number((ms / (ours.get(name)?.ms ?? 1)).toFixed(2)),
  ]);
  return Object.fromEntries(entries) as Record<string, number>;
}
