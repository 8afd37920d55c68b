/**
 * The cost of all governance: CPU time per `tools/call`, compared with the same tool with policies, limits and hooks only
 * and with a bare HTTP server that sends the same bytes, and the cost of redacting a thousand secrets in a ten-kilobyte result that contains none.
 *
 *   npm run bench:governed          BENCH_ROUNDS and BENCH_REQUESTS set the amount
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { median, ratio, table } from "./mcp/figures.ts";
import { servers } from "./mcp/peers.ts";
import type { Workload } from "./mcp/requests.ts";
import type { Contender } from "./mcp/subject.ts";
import { Subjects } from "./mcp/subjects.ts";
import { isMissed } from "./mcp/verdict.ts";

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 7);
const requests = Number(process.env["BENCH_REQUESTS"] ?? 5000);

if (!existsSync(join(import.meta.dirname, "../packages/biplane/dist/index.js")))
  throw new Error("dist/ is missing: npm run build");

const governed = contender("governed", "call", ["batched", "20"], 4);
using subjects = new Subjects();
const ours = await subjects.start(governed);
const bare = await subjects.startBareFor(ours);
const light = await subjects.start({
  ...governed,
  name: "policies, limits, hooks",
  file: join(servers, "biplane.mjs"),
  args: [],
});
const strict = await subjects.start(contender("governed, audit on disk first", "call", ["strict", "20"], 1));
const none = await subjects.start(contender("10 kB, no secret", "page", ["batched", "0"], 2));
const thousand = await subjects.start(contender("10 kB, 1,000 secrets", "page", ["batched", "1000"], 2));
await subjects.measure({ rounds, requests });
report({
  governed_vs_light: { found: ratio(ours, light), bound: { max: 1.5 } },
  governed_vs_bare: { found: ratio(ours, bare), bound: { max: 1.5 } },
  secrets1000_vs_none: { found: ratio(thousand, none), bound: { max: 1.1 } },
  strict_audit_vs_bare: { found: ratio(strict, bare), bound: undefined },
});

function contender(name: string, workload: Workload, args: readonly string[], share: number): Contender {
  return { name, era: "2026", workload, file: join(servers, "governed.mjs"), args, share, isBare: false };
}

function report(results: Record<string, { found: number; bound: { max: number } | undefined }>): void {
  const rows = subjects.all.map(({ contender: { name }, rounds: figures }) => [name, median(figures).toFixed(1)]);
  process.stdout.write(`\nCPU microseconds per request\n\n${table(["server", "median"], rows)}\n\n`);
  const missed = Object.entries(results).filter(([, { found, bound }]) => bound && isMissed(found, bound));
  for (const [name, { found, bound }] of Object.entries(results))
    process.stdout.write(`${name} ${found.toFixed(2)}${bound ? ` (at most ${bound.max})` : ""}\n`);
  const ratios = Object.fromEntries(
    Object.entries(results).map(([name, { found }]) => [name, Number(found.toFixed(3))]),
  );
  const bounds = Object.fromEntries(
    Object.entries(results).flatMap(([name, { bound }]) => (bound ? [[name, bound]] : [])),
  );
  process.stdout.write(`${JSON.stringify({ bench: "governed", ratios, bounds })}\n`);
  if (missed.length > 0) process.exitCode = 1;
}
