/**
 * CPU time per request of our MCP server, compared with a bare HTTP server, the official SDK and other frameworks, and
 * the start time of a stdio server. Uses CPU time and medians over interleaved rounds, because machines are noisy.
 *
 *   npm run bench:mcp               BENCH_ROUNDS and BENCH_REQUESTS set the amount
 *   npm run bench:mcp -- --quick    fewer rounds and requests
 *   npm run bench:mcp -- --ours     only the bare server and ours
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ratio, spread, table } from "./mcp/figures.ts";
import { measureAll } from "./mcp/measure-all.ts";
import type { Subject } from "./mcp/subject.ts";
import { bounds, isMissed, ratiosOf } from "./mcp/verdict.ts";

const quick = process.argv.includes("--quick");
const rounds = Number(process.env["BENCH_ROUNDS"] ?? (quick ? 3 : 7));
const requests = Number(process.env["BENCH_REQUESTS"] ?? (quick ? 2000 : 5000));
const onlyOurs = process.argv.includes("--ours");

if (!existsSync(join(import.meta.dirname, "../packages/biplane/dist/index.js")))
  throw new Error("dist/ is missing: npm run build");
const { subjects, absent, colds } = await measureAll({ rounds, requests, starts: quick ? 5 : 15, onlyOurs });
report();

function report(): void {
  for (const workload of ["call", "list"] as const) {
    const part = subjects.filter(({ contender }) => contender.workload === workload);
    const rows = part.map((subject) => {
      const { name, era } = subject.contender;
      const isSame = ({ contender }: Subject) => contender.isBare && era.startsWith(contender.era.slice(0, 4));
      const bare = part.find(isSame);
      return [name, era, ...spread(subject.rounds, 1), bare ? `×${ratio(subject, bare).toFixed(2)}` : ""];
    });
    const missing = absent.filter(({ contender }) => contender.workload === workload);
    rows.push(...missing.map(({ contender: { name, era }, why }) => [name, era, "", "", `absent: ${why}`]));
    const title = workload === "call" ? "tools/call, one small tool" : "tools/list, 1,000 tools";
    process.stdout.write(`\n${title}: CPU microseconds per request\n\n`);
    process.stdout.write(`${table(["server", "era", "median", "spread", "to bare"], rows)}\n`);
  }
  const coldRows = colds.map(({ name, rounds }) => [name, ...spread(rounds, 0)]);
  process.stdout.write("\nstdio, from spawn to the first tools/list: milliseconds\n\n");
  process.stdout.write(`${table(["server", "median", "spread"], coldRows)}\n`);
  judge();
}

function judge(): void {
  const ratios = ratiosOf(subjects, colds);
  const names = Object.keys(bounds) as (keyof typeof bounds)[];
  const missed = names.filter((name) => isMissed(ratios[name], bounds[name]));
  const rows = names.map((name) => {
    const [word, figure] = Object.entries(bounds[name])[0] ?? [];
    const verdict = ratios[name] === undefined ? "not measured" : missed.includes(name) ? "MISSED" : "held";
    return [name, ratios[name]?.toFixed(2) ?? "", `${word} ${figure}`, verdict];
  });
  process.stdout.write(`\n${table(["ratio", "found", "bound", ""], rows)}\n\n`);
  const rounded = Object.fromEntries(names.map((name) => [name, Number(ratios[name]?.toFixed(3) ?? NaN)]));
  process.stdout.write(`${JSON.stringify({ bench: "mcp", ratios: rounded, bounds })}\n`);
  if (missed.length > 0) process.exitCode = 1;
}
