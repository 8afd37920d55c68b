import { median, ratio } from "../mcp/figures.ts";
import type { AbsentPeer } from "./figures.ts";
import type { Ladder } from "./ladder.ts";
import type { Latency, LatencyRow } from "./latency.ts";
import type { Lists } from "./lists.ts";
import type { Run } from "./machine.ts";
import { eraName, markdownTable, shown, times, withSpread } from "./markdown.ts";
import type { Memory } from "./memory.ts";
import type { Peers } from "./peers.ts";

export function ladderSection({ rows, rounds, requests, ...run }: Run & Ladder): string {
  const tables = ["2026", "2025 session"].map((era) => {
    const all = rows.filter((row) => row.era === era);
    const find = (rung: string, tools: number) => all.find((row) => row.rung === rung && row.tools === tools);
    const bare = find("bare HTTP", 1);
    const rungs = [...new Set(["bare HTTP", ...all.map(({ rung }) => rung)])];
    const cells = rungs.map((rung, at) => {
      const [one, hundred, thousand] = [1, 100, 1000].map((tools) => find(rung, tools));
      return [
        at > 1 ? `+ ${rung}` : rung,
        withSpread(one?.cpu ?? []),
        one && bare ? times(ratio({ rounds: one.cpu }, { rounds: bare.cpu })) : "–",
        withSpread(hundred?.cpu ?? []),
        withSpread(thousand?.cpu ?? []),
        shown(median(one?.perSecond ?? [])),
      ];
    });
    const head = ["", "1 tool", "to bare", "100 tools", "1,000 tools", "calls/s, 1 tool"];
    return `MCP ${eraName(era)}:\n\n${markdownTable(head, cells)}`;
  });
  return `## The governed ladder

CPU microseconds of the server for a small \`tools/call\`. Each rung adds to the one before: a zod schema, a list of policy rules, rate limits, redaction of 20 secrets, an audit log in SQLite, and an audit log that is on disk before the call is answered. ${rounds} rounds of ${shown(requests * 4)} calls (strict audit: ${shown(requests)}).

${tables.join("\n\n")}

${runLine(run)}`;
}

export function listsSection({ rows, rounds, ...run }: Run & Lists): string {
  const names = [...new Set(rows.map(({ server, era }) => `${server}\t${era}`))];
  const cells = names.map((name) => {
    const [server = "", era = ""] = name.split("\t");
    const of = (tools: number) => rows.find((row) => row.server === server && row.era === era && row.tools === tools);
    return [server, eraName(era), ...[1, 100, 1000].map((tools) => withSpread(of(tools)?.cpu ?? []))];
  });
  return `## Lists of tools

CPU microseconds of the server for \`tools/list\`, in ${rounds} rounds.

${markdownTable(["server", "MCP", "1 tool", "100 tools", "1,000 tools"], cells)}

${runLine(run)}`;
}

export function peersSection({ rows, rounds, absent, coldStarts, ...run }: Run & Peers): string {
  const calls = rows
    .filter(({ workload }) => workload === "call")
    .toSorted((a, b) => b.era.slice(0, 4).localeCompare(a.era.slice(0, 4)) || median(a.cpu) - median(b.cpu));
  const cells = calls.map(({ server, era, cpu, perSecond }) => {
    const bare = calls.find((row) => row.server === "bare" && row.era.slice(0, 4) === era.slice(0, 4));
    const factor = bare ? times(ratio({ rounds: cpu }, { rounds: bare.cpu })) : "–";
    return [server, eraName(era), withSpread(cpu), factor, shown(median(perSecond))];
  });
  const starts = coldStarts.map(({ server, ms }) => [server, withSpread(ms)]);
  return `## Other servers

CPU microseconds of the server for a small \`tools/call\`, in ${rounds} rounds. "biplane, zod" checks a schema, two policies and limits, and calls hooks. "full governance" adds approvals, secrets, metrics and an audit log on disk. The others check the schema only.

${markdownTable(["server", "MCP", "CPU µs", "to bare", "calls/s"], cells)}${absentLines(absent)}

Cold start of a stdio server with three tools: milliseconds from the start of the process to the answer to \`tools/list\`.

${markdownTable(["server", "ms"], starts)}

${runLine(run)}`;
}

export function latencySection({ rows, rounds, secondsPerRound, connections, absent, ...run }: Run & Latency): string {
  const rates = [...new Set(rows.map(({ rate }) => rate))];
  const names = [...new Set(rows.map(({ server, era }) => `${server}\t${era}`))];
  const cells = names.map((name) => {
    const [server = "", era = ""] = name.split("\t");
    const of = (rate: number) => rows.find((row) => row.server === server && row.era === era && row.rate === rate);
    return [server, eraName(era), ...rates.map((rate) => latencyCell(of(rate)))];
  });
  const head = ["server", "MCP", ...rates.map((rate) => `${shown(rate)} calls/s`)];
  return `## Latency at fixed arrival rates

Milliseconds of a small \`tools/call\`: p50 / p99 / p99.9, the medians of ${rounds} rounds of ${secondsPerRound} s. Requests wait for one of ${connections} connections. The client polls for the time, so it uses a core by itself; the bare server shows how much of each figure is the client and the machine. A server that falls a second behind is stopped.

${markdownTable(head, cells)}${absentLines(absent)}

${runLine(run)}`;
}

export function memorySection({ rows, absent, ...run }: Run & Memory): string {
  const cells = rows.map(({ server, era, calls, megabytes }) => {
    const [first = NaN, last = NaN] = [megabytes[0], megabytes.at(-1)];
    const path = megabytes.slice(1, -1).map((figure) => shown(figure));
    return [server, eraName(era), shown(calls.at(-1) ?? NaN), shown(first), path.join(", "), shown(last)];
  });
  const most = Math.max(...rows.map(({ calls }) => calls.at(-1) ?? 0));
  const head = ["server", "MCP", "calls", "after 1 %", "after 25, 50, 75 %", "at the end"];
  return `## Memory after ${most === 1_000_000 ? "a million" : shown(most)} calls

Resident memory of the server in megabytes, after a collection of garbage where the server is a Node process. Other servers get a tenth of the calls, because some are slow.

${markdownTable(head, cells)}${absentLines(absent)}

${runLine(run)}`;
}

/** When and on what a part was measured. */
export function runLine({ measuredAt, commit, isModified, isQuick, loadAverage, seconds }: Run): string {
  const sources = `commit ${commit}${isModified ? " with changes" : ""}`;
  const quick = isQuick ? "quick run, " : "";
  return `_${quick}${measuredAt.slice(0, 16).replace("T", " ")} UTC, ${sources}, load average ${loadAverage.toFixed(1)}, took ${shown(seconds)} s_`;
}

export function absentLines(absent: readonly AbsentPeer[]): string {
  if (absent.length === 0) return "";
  const reasons = [...new Set(absent.map(({ why }) => why))];
  const lines = reasons.map((reason) => {
    const names = new Set(absent.filter(({ why }) => why === reason).map(({ name }) => name));
    return `${[...names].join(", ")} (${reason})`;
  });
  return `\n\nAbsent: ${lines.join("; ")}.`;
}

function latencyCell(row: LatencyRow | undefined): string {
  if (!row) return "–";
  if (row.saturatedRounds > 0) return `falls behind, at ${shown(median(row.servedPerSecond))}/s`;
  return [row.p50, row.p99, row.p999].map((figures) => shown(median(figures))).join(" / ");
}
