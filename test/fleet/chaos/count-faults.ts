import type { Calls } from "./call-tools.ts";

export interface CountFaultsOptions {
  readonly ledger: readonly string[];
  readonly calls: Calls;
  /** How often the limited tool may have run. */
  readonly allowed: number;
}

/** Compares the answers that clients got with what the tools did. All counts should be 0. */
export function countFaults({ ledger, calls, allowed }: CountFaultsOptions): Record<string, number> {
  const runs = new Map<string, number>();
  let limited = 0;
  for (const line of ledger) {
    const [tool = "", id = ""] = line.split(" ");
    if (tool === "limited") limited++;
    else runs.set(id, (runs.get(id) ?? 0) + 1);
  }
  const countOf = (ids: Iterable<string>, isFault: (id: string) => boolean) => [...ids].filter(isFault).length;
  const isTwice = (id: string) => (runs.get(id) ?? 0) > 1;
  return {
    "acknowledged and lost": lostCalls({ ledger, calls }).length,
    // Tasks of an idempotent tool may run again.
    "made twice": countOf(runs.keys(), (id) => /^(book|once)-/.test(id) && isTwice(id)),
    "grants used twice": countOf(runs.keys(), (id) => id.startsWith("refund-") && isTwice(id)),
    "calls above the limit": Math.max(0, limited - Math.floor(allowed)),
    "tasks unaccounted": countOf(calls.tasks.values(), (state) => state === "open"),
  };
}

/** The acknowledged calls whose tools did not run. */
export function lostCalls({ ledger, calls }: Pick<CountFaultsOptions, "ledger" | "calls">): string[] {
  const ran = new Set(ledger.map((line) => line.split(" ")[1]));
  return [...calls.acknowledged].filter((id) => !ran.has(id));
}
