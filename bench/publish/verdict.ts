import { median, ratio } from "../mcp/figures.ts";
import { bounds as mcpBounds, isMissed } from "../mcp/verdict.ts";
import type { Bound } from "../mcp/verdict.ts";
import type { Results } from "./results.ts";

export interface Verdict {
  readonly ratios: Readonly<Record<string, number>>;
  readonly bounds: Readonly<Record<string, Bound>>;
  readonly missed: readonly string[];
}

/** The ratios of all parts, and those outside their bounds. */
export function verdictOf({ parts: { ladder, peers, latency, memory, steps, lander, recovery } }: Results): Verdict {
  const found: Record<string, number | undefined> = { ...peers?.ratios };
  const rung = (name: string, tools: number) =>
    ladder?.rows.find((row) => row.rung === name && row.era === "2026" && row.tools === tools)?.cpu;
  found["audit_vs_bare"] = compare(rung("audit", 1), rung("bare HTTP", 1));
  found["strict_audit_vs_bare"] = compare(rung("strict audit", 1), rung("bare HTTP", 1));
  found["audit1000_vs_audit1"] = compare(rung("audit", 1000), rung("audit", 1));
  const p99 = (name: string) => latency?.rows.find(({ server, era }) => server === name && era === "2026")?.p99;
  found["p99_vs_bare"] = compare(p99("biplane, zod"), p99("bare"));
  const governed = memory?.rows.find(({ server }) => server === "biplane, full governance")?.megabytes;
  found["memory_growth_mb"] = governed && (governed.at(-1) ?? NaN) - (governed[1] ?? NaN);
  const socket = steps?.rows.filter(({ protocol }) => protocol === steps.rows[0]?.protocol);
  found["steps_vs_openenv"] = compare(socket?.[0]?.perSecond, socket?.[1]?.perSecond);
  found["lander_vs_gymnasium"] = compare(lander?.rows[0]?.perCpuSecond, lander?.rows[1]?.perCpuSecond);
  found["recovery_ms"] = recovery && Math.max(...recovery.rows.map(({ ms }) => median(ms)));
  found["lost_steps"] = recovery?.rows.reduce((sum, row) => sum + row.lostSteps + row.repeatedSteps, 0);
  const ratios = Object.fromEntries(
    Object.entries(found).flatMap(([name, value]) => (value === undefined ? [] : [[name, Number(value.toFixed(3))]])),
  );
  const held = Object.fromEntries(Object.entries(bounds).filter(([name]) => name in ratios));
  return {
    ratios,
    bounds: held,
    missed: Object.entries(held).flatMap(([name, bound]) => (isMissed(ratios[name], bound) ? [name] : [])),
  };
}

const bounds: Readonly<Record<string, Bound>> = {
  ...mcpBounds,
  audit_vs_bare: { max: 1.5 },
  audit1000_vs_audit1: { max: 1.3 },
  memory_growth_mb: { max: 64 },
  recovery_ms: { max: 10_000 },
  lost_steps: { max: 0 },
};

function compare(over: readonly number[] | undefined, under: readonly number[] | undefined): number | undefined {
  return over && under ? ratio({ rounds: over }, { rounds: under }) : undefined;
}
