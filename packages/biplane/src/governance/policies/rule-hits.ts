import type { CallTimeline } from "@biplane/core/internal";
import { sql } from "kysely";
import { RepeatedWork } from "../../store/repeated-work.ts";
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
  readonly #writing: RepeatedWork;
  #counts = new Map<string, Counted>();

  constructor(options: RuleHitsOptions) {
    this.#options = options;
    this.#writing = new RepeatedWork(() => this.#flush(), {
      everyMs: options.flushMs ?? 2000,
      onFault: (fault, isRepeated) => isRepeated || options.onFault(fault),
    });
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
    await this.#writing.runAnew();
    return this.#options.store.db.selectFrom("rule_hits").selectAll().execute();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing[Symbol.asyncDispose]();
    await this.#writing.runAnew();
  }

  /** Counts that could not be written are written later. */
  async #flush(): Promise<void> {
    if (this.#counts.size === 0) return;
    const rows = [...this.#counts.values()];
    this.#counts = new Map();
    try {
      await this.#write(rows);
    } catch (fault) {
      for (const row of rows) this.#restore(row);
      throw fault;
    }
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
