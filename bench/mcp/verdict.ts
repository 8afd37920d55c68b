import type { ColdStart } from "./cold-start.ts";
import { governed } from "./contenders.ts";
import { ratio } from "./figures.ts";
import type { Era, Workload } from "./requests.ts";
import type { Subject } from "./subject.ts";

export type Bound = { readonly max: number } | { readonly min: number };

/** The performance bounds that we guarantee. */
export const bounds = {
  call2026_vs_bare: { max: 0.9 },
  call2025_vs_bare: { max: 0.9 },
  sdk2026_vs_call2026: { min: 7 },
  sdk2025_vs_call2025: { min: 7 },
  fastest_js_peer_vs_call: { min: 3.5 },
  rmcp_vs_call: { min: 1 },
  full_vs_call: { max: 1.5 },
  list1000_vs_bare: { max: 1.1 },
  cold_json_vs_sdk: { max: 0.5 },
  cold_zod_vs_sdk: { max: 0.7 },
} as const satisfies Record<string, Bound>;

export type Ratios = { [Name in keyof typeof bounds]: number | undefined };

/** The ratios for the bounds; undefined if one side could not be measured. */
export function ratiosOf(subjects: readonly Subject[], colds: readonly ColdStart[]): Ratios {
  const find = (name: string, era: Era, workload: Workload = "call") =>
    subjects.find(({ contender: is }) => is.name === name && is.era === era && is.workload === workload);
  const cold = (name: string) => colds.find((start) => start.name === name);
  const call2026 = find("biplane, zod", "2026");
  const call2025 = find("biplane, zod", "2025 session");
  const leastOf = (names: readonly string[]) => {
    const peers = subjects.filter(({ contender }) => names.includes(contender.name));
    const found = peers.flatMap((peer) => compare(peer, peer.contender.era === "2026" ? call2026 : call2025) ?? []);
    return found.length > 0 ? Math.min(...found) : undefined;
  };
  return {
    call2026_vs_bare: compare(call2026, find("bare", "2026")),
    call2025_vs_bare: compare(call2025, find("bare", "2025 session")),
    sdk2026_vs_call2026: compare(find("SDK v2", "2026"), call2026),
    sdk2025_vs_call2025: compare(find("SDK v2", "2025 session"), call2025),
    fastest_js_peer_vs_call: leastOf(["fastmcp", "tmcp", "mcp-lite"]),
    rmcp_vs_call: leastOf(["rmcp"]),
    full_vs_call: compare(find(governed.name, "2026"), call2026),
    list1000_vs_bare: compare(find("biplane, zod", "2026", "list"), find("bare", "2026", "list")),
    cold_json_vs_sdk: compare(cold("biplane, JSON Schema"), cold("SDK v2, JSON Schema")),
    cold_zod_vs_sdk: compare(cold("biplane, zod"), cold("SDK v2, zod")),
  };
}

export function isMissed(found: number | undefined, bound: Bound): boolean {
  if (found === undefined) return false;
  return "max" in bound ? found > bound.max : found < bound.min;
}

type Measured = Parameters<typeof ratio>[0];

function compare(over: Measured | undefined, under: Measured | undefined): number | undefined {
  return over && under ? ratio(over, under) : undefined;
}
