import { BiplaneError } from "../errors.ts";
import { FirstFew } from "./first-few.ts";
import type { Columns, RunIndex, TraceFacts } from "./run-index.ts";

export type TraceOrder = "index" | "reward" | "steps" | "duration";

/** Which traces of a run are wanted, and from where on. */
export interface TraceQuery {
  readonly order: TraceOrder;
  readonly isDescending: boolean;
  readonly limit: number;
  /** Where the page before ended. */
  readonly after?: string | undefined;
  /** An ending, such as `max_steps` or `error: model`; `error` alone is any of them. */
  readonly reason?: string | undefined;
  readonly least?: number | undefined;
  readonly most?: number | undefined;
  /** Part of a row's id; or a row's number, or a seed. */
  readonly text?: string | undefined;
}

/** Some of a list, and what to give as `after` for the next page. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

/**
 * The traces of a run in any order, a page at a time. Nothing is sorted: one look at every row keeps the few that come
 * first after the page before, so that the first page costs no more than the tenth, whatever has come since.
 */
export function pageOfTraces(index: RunIndex, query: TraceQuery): Page<number> {
  const { columns } = index;
  const values = columns[columnOf[query.order]];
  const fits = filterOf(index, query);
  const compare = comparison(columns, values, query.isDescending ? -1 : 1);
  const isAfter = query.after === undefined ? () => true : rowsAfter(columns, values, query);
  const best = new FirstFew(query.limit + 1, compare);
  for (let at = 0; at < values.length; at++) {
    // Rollouts end about in the order in which they were begun, so most are refused at once. The filter is dear.
    const row = query.isDescending ? values.length - 1 - at : at;
    if (columns.isCounted[row] && best.wants(row) && isAfter(row) && fits(row)) best.add(row);
  }
  const rows = best.sorted();
  if (rows.length <= query.limit) return { rows, next: null };
  rows.pop();
  const last = rows.at(-1) ?? 0;
  return { rows, next: written({ value: values[last] ?? 0, ...jobOf(columns, last) }) };
}

/** The same from the first traces by number, where that is what is asked for and they are enough. */
export function firstPage<Row extends Pick<TraceFacts, "index" | "repetition">>(
  first: readonly Row[],
  query: TraceQuery & { readonly isAll: boolean },
): Page<Row> | undefined {
  const { order, isDescending, limit, isAll, after, reason, least, most, text = "" } = query;
  const isPlain = [after, reason, least, most].every((value) => value === undefined) && text.trim() === "";
  if (order !== "index" || isDescending || !isPlain || !(isAll || limit < first.length)) return undefined;
  const rows = first.slice(0, limit);
  const last = rows.at(-1);
  const isMore = last !== undefined && (!isAll || first.length > limit);
  return { rows, next: isMore ? written({ value: last.index, ...last }) : null };
}

type Comparison = (one: number, other: number) => number;

/** Of two rows, which comes first: by value, and where that is the same by job. */
function comparison({ index, repetition }: Columns, values: readonly number[], direction: 1 | -1): Comparison {
  const difference = (of: readonly number[], one: number, other: number) => (of[one] ?? 0) - (of[other] ?? 0);
  return (one, other) =>
    direction * (difference(values, one, other) || difference(index, one, other) || difference(repetition, one, other));
}

function rowsAfter(columns: Columns, values: readonly number[], query: TraceQuery): (row: number) => boolean {
  const place = readPlace(query.after ?? "");
  const direction = query.isDescending ? -1 : 1;
  return (row) => direction * comparePlaces({ value: values[row] ?? 0, ...jobOf(columns, row) }, place) > 0;
}

function jobOf({ index, repetition }: Columns, row: number): Omit<Place, "value"> {
  return { index: index[row] ?? 0, repetition: repetition[row] ?? 0 };
}

interface Place {
  readonly value: number;
  readonly index: number;
  readonly repetition: number;
}

const columnOf = { index: "index", reward: "reward", steps: "steps", duration: "durationMs" } as const;

function comparePlaces(one: Place, other: Place): number {
  return one.value - other.value || one.index - other.index || one.repetition - other.repetition;
}

function written({ value, index, repetition }: Place): string {
  return `${value}_${index}_${repetition}`;
}

function readPlace(text: string): Place {
  const [value = Number.NaN, index = Number.NaN, repetition = Number.NaN, ...more] = text.split("_").map(Number);
  const place = { value, index, repetition };
  if (more.length === 0 && Object.values(place).every(Number.isFinite)) return place;
  throw new BiplaneError("INVALID_INPUT", "after must be what the page before gave as next");
}

function filterOf({ columns }: RunIndex, { reason, least = -Infinity, most = Infinity, text }: TraceQuery) {
  const wanted = text?.trim().toLowerCase() ?? "";
  const group = reason !== undefined && `${reason}:`;
  return (row: number): boolean => {
    const reward = columns.reward[row] ?? 0;
    if (reward < least || reward > most) return false;
    const ending = columns.reason[row] ?? "";
    if (reason !== undefined && ending !== reason && !(group && ending.startsWith(group))) return false;
    if (wanted === "") return true;
    const isNamed = columns.rowId[row]?.toLowerCase().includes(wanted) ?? false;
    return isNamed || columns.seed[row] === wanted || String(columns.index[row]) === wanted;
  };
}
