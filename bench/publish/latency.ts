import { goPeers, peers, rustPeers, sdk } from "../mcp/contenders.ts";
import type { Era } from "../mcp/requests.ts";
import { connectionCount } from "../mcp/subject.ts";
import type { Subject } from "../mcp/subject.ts";
import { Subjects } from "../mcp/subjects.ts";
import { absentPeers, startCallServers } from "./call-servers.ts";
import type { AbsentPeer, Amount } from "./figures.ts";
import { offerLoad, quantile } from "./open-loop.ts";

/** One server at one rate. Figures are milliseconds, one for each round. */
export interface LatencyRow {
  readonly server: string;
  readonly era: Era;
  readonly rate: number;
  readonly p50: number[];
  readonly p99: number[];
  readonly p999: number[];
  readonly longest: number[];
  readonly servedPerSecond: number[];
  /** In how many rounds the server fell a second behind. */
  saturatedRounds: number;
}

export interface Latency {
  readonly rounds: number;
  readonly secondsPerRound: number;
  readonly connections: number;
  readonly rows: readonly LatencyRow[];
  readonly absent: readonly AbsentPeer[];
}

/** Latency of `tools/call` at fixed arrival rates. */
export async function measureLatency({ isQuick }: Amount): Promise<Latency> {
  const { rates, rounds, seconds } = isQuick
    ? { rates: [200, 1000], rounds: 3, seconds: 1 }
    : { rates: [500, 2000, 5000], rounds: 3, seconds: 4 };
  using subjects = new Subjects();
  await startCallServers(subjects, others);
  const rows = new Map(rates.map((rate) => [rate, subjects.all.map((subject) => emptyRow(subject, rate))]));
  for (const subject of subjects.all) await subject.warmUp(3000);
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`Round ${round} of ${rounds} …\n`);
    for (const rate of rates)
      for (const subject of subjects.inOrder(round)) {
        const row = rows.get(rate)?.[subjects.all.indexOf(subject)];
        if (row && row.saturatedRounds === 0) await measureOnce(subject, row, seconds);
      }
  }
  const absent = absentPeers(subjects);
  return { rounds, secondsPerRound: seconds, connections: connectionCount, rows: [...rows.values()].flat(), absent };
}

/** One of each peer and era, with plain JSON responses where it has them. */
const others = [
  ...sdk.filter(({ name, era, workload }) => workload === "call" && (era === "2026" || name.includes("JSON"))),
  ...[...peers, ...goPeers, ...rustPeers].filter(({ era }) => era !== "2025 stateless"),
];

function emptyRow({ contender: { name, era } }: Subject, rate: number): LatencyRow {
  const figures = { p50: [], p99: [], p999: [], longest: [], servedPerSecond: [] };
  return { server: name, era, rate, ...figures, saturatedRounds: 0 };
}

async function measureOnce(subject: Subject, row: LatencyRow, seconds: number): Promise<void> {
  const lanes = await subject.openLanes();
  const { rate } = row;
  await offerLoad(lanes, { rate, seconds: seconds / 10 }); // opens and warms the connections
  const { latencies, servedPerSecond, isSaturated } = await offerLoad(lanes, { rate, seconds });
  for (const { connection } of lanes) connection.close();
  const add = (figures: number[], value: number) => figures.push(Number(value.toFixed(3)));
  add(row.p50, quantile(latencies, 0.5));
  add(row.p99, quantile(latencies, 0.99));
  add(row.p999, quantile(latencies, 0.999));
  add(row.longest, latencies.at(-1) ?? Number.NaN);
  add(row.servedPerSecond, servedPerSecond);
  if (isSaturated) row.saturatedRounds++;
}
