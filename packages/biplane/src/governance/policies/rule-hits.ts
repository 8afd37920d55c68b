import type { CallTimeline } from "@biplane/core/internal";
import { sql } from "kysely";
import type { SqlStore } from "../../store/sql-store.ts";
import { storable } from "../../store/storable.ts";
import type { RuleHitRow } from "../../store/tables.ts";

export interface RuleHitsOptions {
  readonly store: SqlStore;
  readonly onFault: (fault: unknown) => void;
  /** How often counts are written (default: 2,000). */
  readonly flushMs?: number;
}

/** A call, as far as its rules are counted. */
export interface CountedCall {
  readonly server: string;
  readonly tool: string;
  readonly at: number;
  readonly timeline: CallTimeline | undefined;
}

/** Counts how often each rule decided, for all processes on a store. A process that is killed loses its last two seconds. */
export class RuleHits implements AsyncDisposable {
  readonly #options: RuleHitsOptions;
  readonly #timer: NodeJS.Timeout;
  #counts = new Map<string, Counted>();
  #writing: Promise<void> = Promise.resolve();
  #isFailing = false;

  constructor(options: RuleHitsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#flush(), options.flushMs ?? 2000).unref();
  }

  /** A rule that decides twice about one call, because the call waited, counts once. */
  count({ server, tool, at, timeline }: CountedCall): void {
    for (const { by, verdict, policy = null } of timeline?.decisions() ?? []) {
      if (verdict === "approved") continue;
      const key = `${verdict}\n${by}\n${server}`;
      const known = this.#counts.get(key);
      if (known?.timeline === timeline) continue;
      if (!known && this.#counts.size >= maxRules) continue;
      const hits = (known?.hits ?? 0) + 1;
      this.#counts.set(key, { server, rule: by, verdict, policy, hits, last_at: at, last_tool: tool, timeline });
    }
  }

  /** The counts of all rules, with those that are not written yet. */
  async list(): Promise<RuleHitRow[]> {
    await this.#flush();
    return this.#options.store.db.selectFrom("rule_hits").selectAll().execute();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush();
  }

  /** Never rejects. Counts that could not be written are written later. */
  #flush(): Promise<void> {
    return (this.#writing = this.#writing.then(async () => {
      if (this.#counts.size === 0) return;
      const rows = [...this.#counts.values()];
      this.#counts = new Map();
      try {
        await this.#write(rows);
        this.#isFailing = false;
      } catch (fault) {
        for (const row of rows) this.#restore(row);
        if (!this.#isFailing) this.#options.onFault(fault);
        this.#isFailing = true;
      }
    }));
  }

  #restore(row: Counted): void {
    const key = `${row.verdict}\n${row.rule}\n${row.server}`;
    const newer = this.#counts.get(key);
    this.#counts.set(key, newer ? { ...newer, hits: newer.hits + row.hits } : row);
  }

  /** In one order, so that two processes do not wait for each other. */
  async #write(rows: readonly Counted[]): Promise<void> {
    const sorted = rows.map(rowOf).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    await this.#options.store.db.transaction().execute(async (transaction) => {
      for (const row of sorted)
        await transaction
          .insertInto("rule_hits")
          .values(row)
          .onConflict((conflict) =>
            conflict.columns(["server", "rule", "verdict"]).doUpdateSet({
              hits: sql<number>`rule_hits.hits + ${row.hits}`,
              last_at: row.last_at,
              last_tool: row.last_tool,
              policy: row.policy,
            }),
          )
          .execute();
    });
  }
}

/** What was counted, and the last call that was. */
interface Counted extends RuleHitRow {
  readonly timeline: CallTimeline | undefined;
}

function rowOf({ timeline: _timeline, ...row }: Counted): RuleHitRow {
  const short = (text: string) => storable(text.slice(0, maxName));
  return { ...row, rule: short(row.rule), policy: row.policy && short(row.policy), last_tool: short(row.last_tool) };
}

function keyOf({ server, rule, verdict }: RuleHitRow): string {
  return JSON.stringify([server, rule, verdict]);
}

const maxName = 200;
/** Code may name rules after anything. */
const maxRules = 1000;
