import { BiplaneError } from "@biplane/core";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { columnTypes } from "../migrations.ts";
import type { SqlStore } from "../sql-store.ts";
import type { RolloutRow, Tables } from "../tables.ts";
import { maskedReward } from "./rollout-facts.ts";

export type TraceOrder = "index" | "reward" | "steps" | "duration";

/** Filter, order and page of a run's traces. */
export interface TraceQuery {
  readonly order: TraceOrder;
  readonly isDescending: boolean;
  readonly limit: number;
  /** `next` of the previous page. */
  readonly after?: string | undefined;
  /** An ending such as `max_steps` or `error: model`; `error` matches every error. */
  readonly reason?: string | undefined;
  /** Minimum reward. With a minimum or maximum, masked rollouts do not match. */
  readonly minReward?: number | undefined;
  /** Maximum reward. */
  readonly maxReward?: number | undefined;
  /** The beginning of a row id, a row index or a seed. */
  readonly text?: string | undefined;
}

/** A rollout in a list. */
export interface ListedRollout extends RolloutRow {
  /** In the newest scoring of the run; null if that gave none. */
  score: number | null;
}

/** One page, and the `after` value of the next one. */
export interface TracePage {
  readonly rows: readonly ListedRollout[];
  readonly next: string | null;
}

/**
 * One page of a run's ended rollouts. If a filter matches few rollouts, its index finds them, and they are sorted.
 * Otherwise the rollouts are read in the requested order, and a page is soon full. Either way a single index holds all
 * columns that are compared, so that only the rows of the page are read from the table.
 */
export async function pageOfTraces(store: SqlStore, run: string, query: TraceQuery): Promise<TracePage> {
  const column = columnOf[query.order];
  const filters = filtersOf(query);
  const few = await fewMatches(store, run, filters);
  const conditions = filters.map(
    (filter) =>
      sql`(${sql.join(
        filter.map(({ matches }) => matches),
        sql` or `,
      )})`,
  );
  if (query.after !== undefined) conditions.push(isAfter(query.after, query));
  const keys = column === "row_index" ? ["row_index", "repetition"] : [column, "row_index", "repetition"];
  const direction = sql.raw(query.isDescending ? "desc" : "asc");
  const order = sql.join(keys.map((key) => sql`page.${sql.ref(key)} ${direction}`));
  const found = (few ?? [{ index: column, matches: sql`true` }]).map((source, at) => {
    const others = few?.slice(0, at).map(({ matches }) => sql`(${matches}) is not true`) ?? []; // found already
    const checked = sql.join(
      [...others, ...conditions].map((condition) => sql`and ${condition}`),
      sql` `,
    );
    return sql`select ${sql.join(keys.map((key) => sql.ref(key)))} from ${endedIn(store, run, source)} ${checked}`;
  });
  // Without this, Postgres may look for the few matches in the requested order.
  const fence = sql.raw(few && store.engine === "postgres" ? "offset 0" : "");
  const scoring = sql`(select name from ${tableIn(store, "scorings")} where run = ${run}
    order by scored_at desc limit 1)`;
  const { rows } = await sql<ListedRollout>`select whole.*, case when given.is_valid = 1 then given.score end as score
    from (select * from (${sql.join(found, sql` union all `)} ${fence}) as page order by ${order} limit ${query.limit + 1}) as page
    join ${tableIn(store, "rollouts")} as whole on whole.run = ${run} and whole.row_index = page.row_index
      and whole.repetition = page.repetition
    left join ${tableIn(store, "scores")} as given on given.run = ${run} and given.name = ${scoring}
      and given.row_index = page.row_index and given.repetition = page.repetition
    order by ${order}`.execute(store.db);
  const last = rows[query.limit - 1];
  if (rows.length <= query.limit || !last) return { rows, next: null };
  rows.length = query.limit;
  return { rows, next: positionOf(last, query.order) };
}

/** The rollouts before and after one of a run, in a list. The list need not contain the rollout itself. */
export async function neighboursOf(
  store: SqlStore,
  row: RolloutRow,
  query: Omit<TraceQuery, "limit" | "after">,
): Promise<{ readonly previous: RolloutRow | undefined; readonly next: RolloutRow | undefined }> {
  const after = positionOf(row, query.order);
  const first = async (isDescending: boolean) =>
    (await pageOfTraces(store, row.run, { ...query, isDescending, after, limit: 1 })).rows[0];
  return { previous: await first(!query.isDescending), next: await first(query.isDescending) };
}

/** The `after` value of the page after a rollout. */
function positionOf(row: RolloutRow, order: TraceOrder): string {
  return `${row[columnOf[order]]}_${row.row_index}_${row.repetition}`;
}

const columnOf = { index: "row_index", reward: "reward", steps: "steps", duration: "duration_ms" } as const;

/** A condition, and the index that finds its matches. */
interface IndexedCondition {
  readonly index: "row_index" | "reward" | "steps" | "duration_ms" | "ending" | "search" | "seed";
  readonly matches: RawBuilder<unknown>;
}

/** Rollouts match a filter if one of its conditions holds. */
type Filter = readonly IndexedCondition[];

function filtersOf({ reason, minReward, maxReward, text = "" }: TraceQuery): Filter[] {
  const filters: Filter[] = [];
  const hasRange = minReward !== undefined || maxReward !== undefined;
  const [least, most] = [minReward ?? maskedReward, maxReward ?? Number.MAX_VALUE];
  const inRange = sql`(reward > ${maskedReward} and reward >= ${least} and reward <= ${most})`;
  if (reason !== undefined) {
    const group = sql`ending_group = ${reason.split(":")[0] ?? ""}`;
    const ending = reason.includes(":") ? sql`${group} and ending = ${reason}` : group;
    // This index is ordered by reward.
    filters.push([{ index: "ending", matches: sql`(${ending} and ${hasRange ? inRange : sql`true`})` }]);
  } else if (hasRange) filters.push([{ index: "reward", matches: inRange }]);
  const wanted = text.trim().toLowerCase();
  if (wanted !== "")
    filters.push([
      { index: "search", matches: sql`(row_search >= ${wanted} and row_search < ${`${wanted}\u{10FFFF}`})` },
      { index: "seed", matches: sql`seed = ${text.trim()}` },
      { index: "row_index", matches: sql`row_index = ${/^\d{1,15}$/.test(wanted) ? Number(wanted) : -1}` },
    ]);
  return filters;
}

/** The first filter that matches few rollouts, if there is one. */
async function fewMatches(store: SqlStore, run: string, filters: readonly Filter[]): Promise<Filter | undefined> {
  for (const filter of filters) {
    let isFew = true;
    for (const condition of filter) {
      const { rows } = await sql`select 1 from ${endedIn(store, run, condition)} limit 1 offset ${maxSorted}`.execute(
        store.db,
      );
      isFew &&= rows.length === 0;
    }
    if (isFew) return filter;
  }
  return undefined;
}

/** Table and conditions of a run's ended rollouts. SQLite's planner knows no counts, so the query names the index. */
function endedIn(store: SqlStore, run: string, { index, matches }: IndexedCondition): RawBuilder<unknown> {
  const indexed = store.engine === "sqlite" ? sql.raw(`indexed by rollouts_by_${index}`) : sql``;
  return sql`${tableIn(store, "rollouts")} ${indexed} where run = ${run} and ended_at is not null and ${matches}`;
}

function tableIn({ engine }: SqlStore, name: keyof Tables): RawBuilder<unknown> {
  return sql.raw(columnTypes[engine].table(name));
}

/** So many are found and sorted in some 30 ms. */
const maxSorted = 150_000;

/** The rollouts after the last one of a page, in the same order. */
function isAfter(after: string, { order, isDescending }: TraceQuery): RawBuilder<unknown> {
  const [value = Number.NaN, index = Number.NaN, repetition = Number.NaN, ...more] = after.split("_").map(Number);
  if (more.length > 0 || ![value, index, repetition].every(Number.isFinite))
    throw new BiplaneError("INVALID_INPUT", "`after` must be the `next` value of the previous page.");
  const comparison = sql.raw(isDescending ? "<" : ">");
  return order === "index"
    ? sql`(row_index, repetition) ${comparison} (${index}, ${repetition})`
    : sql`(${sql.ref(columnOf[order])}, row_index, repetition) ${comparison} (${value}, ${index}, ${repetition})`;
}
