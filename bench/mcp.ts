/**
 * CPU time per request of our MCP server, compared with a bare HTTP server, the official SDK and other frameworks, and
 * the start time of a stdio server. Uses CPU time and medians over interleaved rounds, because machines are noisy.
 *
 *   npm run bench:mcp               BENCH_ROUNDS and BENCH_REQUESTS set the amount
 *   npm run bench:mcp -- --quick    fewer rounds and requests
 *   npm run bench:mcp -- --ours     only the bare server and ours
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { coldStarts } from "./mcp/cold-start.ts";
import type { ColdStart } from "./mcp/cold-start.ts";
import { bareFor, goPeers, governed, ours, peers, rustPeers, sdk } from "./mcp/contenders.ts";
import { median, ratio, table } from "./mcp/figures.ts";
import { buildGoPeers, buildRustPeers } from "./mcp/native-peers.ts";
import { cache, installPeers } from "./mcp/peers.ts";
import { Subject } from "./mcp/subject.ts";
import type { Contender } from "./mcp/subject.ts";
import { bounds, isMissed, ratiosOf } from "./mcp/verdict.ts";

const quick = process.argv.includes("--quick");
const rounds = Number(process.env["BENCH_ROUNDS"] ?? (quick ? 3 : 7));
const requests = Number(process.env["BENCH_REQUESTS"] ?? (quick ? 2000 : 5000));
const warmUp = 3000;
const starts = quick ? 5 : 15;
const onlyOurs = process.argv.includes("--ours");
/** Peers that could not be measured, and why. */
const absent: { contender: Contender; why: string }[] = [];

if (!existsSync(join(import.meta.dirname, "../packages/biplane/dist/index.js")))
  throw new Error("dist/ is missing: npm run build");
const subjects = await startAll();
try {
  await measure(subjects);
} finally {
  for (const subject of subjects) subject.stop();
}
report(subjects, onlyOurs ? [] : await startCold());

async function startAll(): Promise<Subject[]> {
  const started: Subject[] = [];
  for (const contender of [...ours, governed]) {
    const subject = await Subject.start(contender);
    const answer = join(cache, "answers", `${contender.workload} ${contender.era}.json`);
    if (contender.name === "biplane, zod") {
      mkdirSync(join(cache, "answers"), { recursive: true });
      writeFileSync(answer, await subject.sample());
      started.push(await Subject.start(bareFor(contender, answer)));
    }
    started.push(subject);
  }
  return onlyOurs ? started : [...started, ...(await startOthers())];
}

async function startOthers(): Promise<Subject[]> {
  const started: Subject[] = [];
  const groups = [
    { contenders: sdk, why: undefined },
    { contenders: peers, why: installPeers() },
    { contenders: goPeers, why: buildGoPeers() },
    { contenders: rustPeers, why: buildRustPeers() },
  ];
  for (const { contenders, why } of groups)
    for (const contender of contenders) {
      const subject = why === undefined ? await startOther(contender) : why;
      if (typeof subject === "string") absent.push({ contender, why: subject });
      else started.push(subject);
    }
  return started;
}

/** Returns why if a peer does not start or responds wrongly. */
async function startOther(contender: Contender): Promise<Subject | string> {
  let subject: Subject | undefined;
  try {
    subject = await Subject.start(contender);
    await subject.sample();
    return subject;
  } catch (error) {
    subject?.stop();
    return String(error);
  }
}

async function measure(all: readonly Subject[]): Promise<void> {
  say(`Warming up ${all.length} servers …`);
  for (const subject of all) await subject.warmUp(warmUp);
  for (let round = 1; round <= rounds; round++) {
    say(`Round ${round} of ${rounds} …`);
    for (const subject of round % 2 === 0 ? all.toReversed() : all) await subject.measure(requests);
  }
}

async function startCold(): Promise<ColdStart[]> {
  say(`Measuring the cold start of stdio servers, ${starts} times …`);
  return coldStarts(starts);
}

function report(all: readonly Subject[], colds: readonly ColdStart[]): void {
  for (const workload of ["call", "list"] as const) {
    const part = all.filter(({ contender }) => contender.workload === workload);
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
  judge(all, colds);
}

function judge(all: readonly Subject[], colds: readonly ColdStart[]): void {
  const ratios = ratiosOf(all, colds);
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

function spread(figures: readonly number[], digits: number): [string, string] {
  const ends = [Math.min(...figures), Math.max(...figures)].map((end) => end.toFixed(digits));
  return [median(figures).toFixed(digits), ends.join("–")];
}

function say(words: string): void {
  process.stderr.write(`${words}\n`);
}
