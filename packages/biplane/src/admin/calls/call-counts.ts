import type { CallStatisticsRow } from "../../store/tables.ts";
import { storable } from "../../store/storable.ts";
import { OutcomeCount } from "./outcome-count.ts";
import type { LoggedCall } from "./call-log.ts";
import { LatencyHistogram } from "./latency-histogram.ts";

/** How many calls there were, and how long they took. */
export class CallCount extends OutcomeCount {
  waited = 0;
  readonly run = new LatencyHistogram();
  readonly wait = new LatencyHistogram();

  add({ outcome, durationMs, waitedMs }: LoggedCall): void {
    this.addOutcome(outcome);
    this.run.add(Math.max(0, durationMs - waitedMs));
    if (waitedMs <= 0) return;
    this.waited++;
    this.wait.add(waitedMs);
  }

  merge(other: CallCount): void {
    this.addCounts(other);
    this.waited += other.waited;
    this.run.merge(other.run);
    this.wait.merge(other.wait);
  }

  mergeRow(row: CallStatisticsRow): void {
    this.addCounts(row);
    this.waited += row.waited;
    this.run.mergeStored(row.run_ms);
    this.wait.mergeStored(row.wait_ms);
  }
}

type Kind = CallStatisticsRow["kind"];

/** What a count is of. */
export interface CountedName {
  readonly kind: Kind;
  readonly server: string;
  readonly name: string;
}

/** The counts of one interval. Callers choose names, so the number of names is limited. */
export class CallCounts {
  readonly #counts = new Map<string, CountedName & { readonly count: CallCount }>();
  readonly #names = new Map<Kind, number>();

  add(call: LoggedCall): void {
    const { server } = call;
    this.#of({ kind: "all", server: "", name: "" }).add(call);
    this.#of({ kind: "tool", server, name: call.tool }).add(call);
    this.#of({ kind: "agent", server: "", name: call.agent.agentId }).add(call);
    const policy = policyOf(call);
    if (policy !== undefined) this.#of({ kind: "policy", server: "", name: policy }).add(call);
  }

  merge(other: CallCounts): void {
    for (const { count, ...named } of other.#counts.values()) this.#of(named).merge(count);
  }

  rows({ span, start, source }: Pick<CallStatisticsRow, "span" | "start" | "source">): CallStatisticsRow[] {
    return Array.from(this.#counts.values(), ({ kind, server, name, count }) => ({
      span,
      kind,
      start,
      server: storable(server),
      name: storable(name),
      source,
      ...count.counts(),
      waited: count.waited,
      run_ms: count.run.stored(),
      wait_ms: count.wait.stored(),
    }));
  }

  #of(named: CountedName): CallCount {
    const key = JSON.stringify([named.kind, named.server, named.name]);
    const known = this.#counts.get(key);
    if (known) return known.count;
    const names = this.#names.get(named.kind) ?? 0;
    if (names >= maxNames && named.name !== otherNames)
      return this.#of({ kind: named.kind, server: "", name: otherNames });
    this.#names.set(named.kind, names + 1);
    const count = new CallCount();
    this.#counts.set(key, { ...named, count });
    return count;
  }
}

/** The name under which calls beyond `maxNames` are counted. */
export const otherNames = "(others)";

/** Names of each kind in an interval. */
const maxNames = 100;

/** The policy that denied the call or asked about it. */
function policyOf({ timeline }: LoggedCall): string | undefined {
  return timeline?.decisions().findLast(({ verdict }) => verdict === "deny" || verdict === "ask")?.by;
}
