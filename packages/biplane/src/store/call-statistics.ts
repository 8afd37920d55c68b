import { insertRows } from "./change-rows.ts";
import type { SqlStore } from "./sql-store.ts";
import type { CallStatisticsRow } from "./tables.ts";

/** The lengths of the intervals that calls are counted by, in milliseconds. */
export const statisticsSpans = { minute: 60_000, tenMinutes: 600_000, hour: 3_600_000 } as const;
export type StatisticsSpan = (typeof statisticsSpans)[keyof typeof statisticsSpans];

/** How long intervals of each length are kept. The longest range on the page is 30 days. */
const keptMs: Readonly<Record<StatisticsSpan, number>> = {
  60_000: 86_400_000,
  600_000: 3 * 86_400_000,
  3_600_000: 31 * 86_400_000,
};

/** Writes rows, all or none. A process only writes rows of its own, so that the last value is the right one. */
export async function saveStatistics({ db }: SqlStore, rows: readonly CallStatisticsRow[]): Promise<void> {
  await db
    .transaction()
    .execute((transaction) => insertRows(transaction, "call_statistics", { rows, ifKnown: "replace" }));
}

export interface StatisticsQuery {
  readonly span: StatisticsSpan;
  readonly kind: CallStatisticsRow["kind"];
  /** The first interval, in milliseconds since 1970. */
  readonly from: number;
}

/** The rows of the intervals since a time, in pages, so that a long range does not hold up others. */
export async function* readStatistics(
  { db }: SqlStore,
  { span, kind, from }: StatisticsQuery,
): AsyncGenerator<readonly CallStatisticsRow[]> {
  for (let start = from, last: CallStatisticsRow | undefined; ;) {
    let query = db
      .selectFrom("call_statistics")
      .selectAll()
      .where("span", "=", span)
      .where("kind", "=", kind)
      .where("start", ">=", start)
      .orderBy("start")
      .orderBy("server")
      .orderBy("name")
      .orderBy("source")
      .limit(pageSize);
    const after = last;
    if (after)
      query = query.where((eb) =>
        eb(
          eb.refTuple("start", "server", "name", "source"),
          ">",
          eb.tuple(after.start, after.server, after.name, after.source),
        ),
      );
    const rows = await query.execute();
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) return;
    last = rows.at(-1);
    start = last?.start ?? start;
  }
}

/** Deletes old intervals. */
export async function pruneStatistics({ db }: SqlStore, { now, keepMs }: StatisticsAge): Promise<void> {
  for (const span of Object.values(statisticsSpans)) {
    const before = now - Math.min(keptMs[span], keepMs ?? Infinity);
    for (const kind of ["all", "tool", "agent", "policy"] as const)
      await db
        .deleteFrom("call_statistics")
        .where("span", "=", span)
        .where("kind", "=", kind)
        .where("start", "<", before)
        .execute();
  }
}

export interface StatisticsAge {
  readonly now: number;
  /** How long calls are kept, if not forever. */
  readonly keepMs?: number | undefined;
}

const pageSize = 2000;
