import { median, ratio } from "../mcp/figures.ts";
import type { Ladder } from "./ladder.ts";
import type { Lander } from "./lander.ts";
import type { Latency } from "./latency.ts";
import type { Lists } from "./lists.ts";
import { eraName, shown, times } from "./markdown.ts";
import type { Memory } from "./memory.ts";
import type { Peers } from "./peers.ts";
import type { Recovery } from "./recovery.ts";
import type { Results } from "./results.ts";
import type { Steps } from "./steps.ts";

/** A sentence for each comparison that Biplane loses by more than 5 %. Medians are compared. */
export function losses({ parts }: Results): string[] {
  const { ladder, lists, peers, latency, memory, steps, lander, recovery } = parts;
  return [
    ...(ladder ? rungsAboveBare(ladder) : []),
    ...(lists ? slowLists(lists) : []),
    ...(peers ? [...cheaperPeers(peers), ...fasterStarts(peers)] : []),
    ...(latency ? shorterTails(latency) : []),
    ...(memory ? smallerServers(memory) : []),
    ...(steps ? [...fasterEnvironments(steps), ...slowestProtocol(steps)] : []),
    ...(lander ? fasterPhysics(lander) : []),
    ...(recovery ? slowRecovery(recovery) : []),
  ];
}

const margin = 1.05;

function rungsAboveBare({ rows }: Ladder): string[] {
  const above = rows.flatMap((row) => {
    const bare = rows.find(({ rung, era, tools }) => rung === "bare HTTP" && era === row.era && tools === row.tools);
    const factor = bare ? ratio({ rounds: row.cpu }, { rounds: bare.cpu }) : NaN;
    return factor > margin ? [{ ...row, factor }] : [];
  });
  return [...new Set(above.map(({ rung }) => rung))].map((rung) => {
    const factors = above.filter((row) => row.rung === rung).map(({ factor }) => factor);
    const all = rows.filter((row) => row.rung === rung).length;
    const where = `in ${factors.length} of ${all} combinations of protocol version and number of tools`;
    return `The rung "${rung}" takes up to ${times(Math.max(...factors))} the CPU time of the bare HTTP server, ${where}.`;
  });
}

function slowLists({ rows }: Lists): string[] {
  return rows.filter(isOurs).flatMap(({ era, tools, cpu }) => {
    const others = rows.filter((row) => !isOurs(row) && row.era === era && row.tools === tools);
    const better = others.find((row) => isBelow(row.cpu, cpu));
    const sizes = `A list of ${shown(tools)} ${tools === 1 ? "tool" : "tools"} (MCP ${eraName(era)})`;
    return better ? [`${sizes} takes ${cpuTime(cpu)}, that of ${better.server} ${cpuTime(better.cpu)}.`] : [];
  });
}

function cheaperPeers({ rows }: Peers): string[] {
  const calls = rows.filter(({ workload }) => workload === "call");
  const [ours, others] = [calls.filter(isOurs), calls.filter((row) => !isOurs(row))];
  return ours.flatMap(({ server, era, cpu }) => {
    const cheaper = others.filter((row) => row.era.slice(0, 4) === era.slice(0, 4) && isBelow(row.cpu, cpu));
    const all = cheaper.map((row) => `${row.server} (MCP ${eraName(row.era)}) ${cpuTime(row.cpu)}`);
    return all.length > 0
      ? [`A call of "${server}" (MCP ${eraName(era)}) takes ${cpuTime(cpu)}; ${all.join("; ")}.`]
      : [];
  });
}

function fasterStarts({ coldStarts }: Peers): string[] {
  return coldStarts.filter(isOurs).flatMap(({ server, ms }) => {
    const faster = coldStarts.filter((other) => !isOurs(other) && isBelow(other.ms, ms));
    const all = faster.map((other) => `${other.server} ${shown(median(other.ms))} ms`);
    return all.length > 0 ? [`A cold start of "${server}" takes ${shown(median(ms))} ms; ${all.join("; ")}.`] : [];
  });
}

function shorterTails({ rows }: Latency): string[] {
  return rows.filter(isOurs).flatMap(({ server, era, rate, p99, saturatedRounds }) => {
    const at = `At ${shown(rate)} calls/s, "${server}" (MCP ${eraName(era)})`;
    if (saturatedRounds > 0) return [`${at} falls behind.`];
    const peers = rows.filter((row) => !isOurs(row) && row.rate === rate && row.era === era);
    const shorter = peers.filter((row) => row.saturatedRounds === 0 && isBelow(row.p99, p99));
    const all = shorter.map((row) => `${row.server} ${shown(median(row.p99))} ms`);
    return all.length > 0 ? [`${at} has a p99 of ${shown(median(p99))} ms; ${all.join("; ")}.`] : [];
  });
}

function smallerServers({ rows }: Memory): string[] {
  const end = ({ megabytes }: (typeof rows)[number]) => megabytes.at(-1) ?? NaN;
  return rows.filter(isOurs).flatMap((row) => {
    const smaller = rows.filter((other) => !isOurs(other) && other.era === row.era && end(other) * margin < end(row));
    const all = smaller.map((other) => `${other.server} ${shown(end(other))} MB`);
    const ours = `"${row.server}" (MCP ${eraName(row.era)}) holds ${shown(end(row))} MB`;
    return all.length > 0 ? [`After ${shown(row.calls.at(-1) ?? NaN)} calls, ${ours}; ${all.join("; ")}.`] : [];
  });
}

function fasterEnvironments({ rows }: Steps): string[] {
  return rows
    .filter((row) => !isOurs(row))
    .flatMap(({ server, protocol, perSecond }) => {
      const ours = rows.find((row) => isOurs(row) && row.protocol === protocol);
      if (!ours || !isBelow(ours.perSecond, perSecond)) return [];
      const [fewer, more] = [ours.perSecond, perSecond].map((figures) => shown(median(figures)));
      return [`${server} makes ${more} steps/s over "${protocol}", Biplane ${fewer}.`];
    });
}

function slowestProtocol({ rows }: Steps): string[] {
  const byRate = rows.filter(isOurs).toSorted((a, b) => median(a.perSecond) - median(b.perSecond));
  const [slowest, fastest] = [byRate[0], byRate.at(-1)];
  if (!slowest || !fastest || slowest === fastest) return [];
  const rate = ({ perSecond }: typeof slowest) => `${shown(median(perSecond))} steps/s`;
  const requests = slowest.requestsPerStep > 1 ? ` It needs ${slowest.requestsPerStep} requests for each step.` : "";
  return [
    `Protocols differ. "${slowest.protocol}" makes ${rate(slowest)}, "${fastest.protocol}" ${rate(fastest)}.${requests}`,
  ];
}

function fasterPhysics({ rows }: Lander): string[] {
  const [ours, theirs] = rows;
  if (!ours || !theirs || !isBelow(ours.perCpuSecond, theirs.perCpuSecond)) return [];
  const factor = ratio({ rounds: theirs.perCpuSecond }, { rounds: ours.perCpuSecond });
  return [`${theirs.server} makes ${times(factor)} the steps of our lunar lander for each second of CPU time.`];
}

function slowRecovery({ rows }: Recovery): string[] {
  const slowest = rows.toSorted((a, b) => median(b.ms) - median(a.ms))[0];
  if (!slowest) return [];
  const lost = rows.reduce((sum, row) => sum + row.lostSteps + row.repeatedSteps, 0);
  const faults = lost > 0 ? [`${lost} steps were lost or made twice by kills.`] : [];
  const restart = `One server cannot answer while it starts again after a kill: up to ${shown(median(slowest.ms))} ms, with ${slowest.store}.`;
  return [...faults, restart];
}

function isOurs({ server }: { readonly server: string }): boolean {
  return server.startsWith("biplane");
}

function isBelow(figures: readonly number[], than: readonly number[]): boolean {
  return median(figures) * margin < median(than);
}

function cpuTime(figures: readonly number[]): string {
  return `${shown(median(figures))} µs`;
}
