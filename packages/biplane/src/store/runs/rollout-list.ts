import { BiplaneError } from "@biplane/core";
import { sql } from "kysely";
import type { SqlStore } from "../sql-store.ts";
import type { RolloutRow } from "../tables.ts";

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
  /** Minimum reward. */
  readonly minReward?: number | undefined;
  /** Maximum reward. */
  readonly maxReward?: number | undefined;
  /** The beginning of a row id, a row index or a seed. */
  readonly text?: string | undefined;
}

/** One page, and the `after` value of the next one. */
export interface TracePage {
  readonly rows: readonly RolloutRow[];
  readonly next: string | null;
}

/**
 * One page of a run's ended rollouts. If a filter matches few rollouts, those are found first and then sorted. Otherwise
 * the rollouts are read in the requested order, and a page is soon full. Both take an index.
 */
export async function pageOfTraces(store: SqlStore, run: string, query: TraceQuery): Promise<TracePage> {
  const column = columnOf[query.order];
  const direction = query.isDescending ? "desc" : "asc";
  const filters = filtersOf(store, query);
  const found = await fewMatches(store, run, filters);
  let page = store.db
    .selectFrom("rollouts")
    .selectAll()
    .where("run", "=", run)
    .where("ended_at", "is not", null)
    .orderBy(column, direction)
    .limit(query.limit + 1);
  if (column !== "row_index") page = page.orderBy("row_index", direction);
  page = page.orderBy("repetition", direction);
  for (const filter of filters) page = page.where(filter.matches(found !== filter));
  if (query.reason !== undefined) {
    page = page.where("ending_group", "=", query.reason.split(":")[0] ?? "");
    if (query.reason.includes(":")) page = page.where("ending", "=", query.reason);
  }
  if (query.after !== undefined) {
    const { value, index, repetition } = readCursor(query.after);
    const comparison = query.isDescending ? "<" : ">";
    page = page.where((eb) =>
      column === "row_index"
        ? eb(eb.refTuple("row_index", "repetition"), comparison, eb.tuple(index, repetition))
        : eb(eb.refTuple(column, "row_index", "repetition"), comparison, eb.tuple(value, index, repetition)),
    );
  }
  const rows = await page.execute();
  const last = rows[query.limit - 1];
  if (rows.length <= query.limit || !last) return { rows, next: null };
  rows.length = query.limit;
  return { rows, next: `${last[column]}_${last.row_index}_${last.repetition}` };
}

const columnOf = { index: "row_index", reward: "reward", steps: "steps", duration: "duration_ms" } as const;

/** A condition that has an index of its own. */
interface IndexedFilter {
  /** The condition. If `isChecked`, SQLite only checks it, and takes the index of the order. */
  matches(isChecked: boolean): ReturnType<typeof sql<boolean>>;
}

function filtersOf({ engine }: SqlStore, { minReward, maxReward, text = "" }: TraceQuery): IndexedFilter[] {
  const plain = (name: string, isChecked: boolean) =>
    isChecked && engine === "sqlite" ? sql`+${sql.ref(name)}` : sql.ref(name);
  const filters: IndexedFilter[] = [];
  const wanted = text.trim().toLowerCase();
  if (wanted !== "") {
    const index = /^\d{1,15}$/.test(wanted) ? Number(wanted) : -1;
    filters.push({
      matches: (isChecked) =>
        sql<boolean>`((${plain("row_search", isChecked)} >= ${wanted} and ${plain("row_search", isChecked)} < ${`${wanted}\u{10FFFF}`})
          or ${plain("seed", isChecked)} = ${text.trim()} or ${plain("row_index", isChecked)} = ${index})`,
    });
  }
  if (minReward !== undefined || maxReward !== undefined)
    filters.push({
      matches: (isChecked) =>
        sql<boolean>`(${plain("reward", isChecked)} >= ${minReward ?? -maxNumber} and ${plain("reward", isChecked)} <= ${maxReward ?? maxNumber})`,
    });
  return filters;
}

/** The first filter that matches few rollouts, if there is one. */
async function fewMatches(
  store: SqlStore,
  run: string,
  filters: readonly IndexedFilter[],
): Promise<IndexedFilter | undefined> {
  for (const filter of filters) {
    const found = store.db
      .selectFrom("rollouts")
      .select("row_index")
      .where("run", "=", run)
      .where("ended_at", "is not", null)
      .where(filter.matches(false))
      .limit(few + 1);
    const { count } = await store.db
      .selectFrom(found.as("found"))
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    if (count <= few) return filter;
  }
  return undefined;
}

/** So many rollouts are sorted in some 20 ms. */
const few = 10_000;
const maxNumber = Number.MAX_VALUE;

function readCursor(text: string): { value: number; index: number; repetition: number } {
  const [value = Number.NaN, index = Number.NaN, repetition = Number.NaN, ...more] = text.split("_").map(Number);
  const cursor = { value, index, repetition };
  if (more.length === 0 && Object.values(cursor).every(Number.isFinite)) return cursor;
  throw new BiplaneError("INVALID_INPUT", "`after` must be the `next` value of the previous page.");
}
