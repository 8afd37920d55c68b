import { BiplaneError } from "../errors.ts";
import type { Columns, RunIndex } from "./run-index.ts";

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

/**
 * The traces of a run in any order, a page at a time. Each order is made once, until there are more traces; a page starts
 * where the one before ended, whatever has come since, and looks no further than it must.
 */
export class TraceList {
  readonly #index: RunIndex;
  readonly #orders = new Map<TraceOrder, Uint32Array>();
  #version = -1;

  constructor(index: RunIndex) {
    this.#index = index;
  }

  /** Rows of the index, and what to give as `after` for the next page. */
  page(query: TraceQuery): { readonly rows: readonly number[]; readonly next: string | null } {
    const ordered = this.#ordered(query.order);
    const fits = filterOf(this.#index, query);
    const direction = query.isDescending ? -1 : 1;
    const rows: number[] = [];
    for (let at = this.#startOf(ordered, query); at >= 0 && at < ordered.length; at += direction) {
      const row = ordered[at] as number;
      if (!fits(row)) continue;
      if (rows.length === query.limit)
        return { rows, next: written(this.#placeOf(rows.at(-1) as number, query.order)) };
      rows.push(row);
    }
    return { rows, next: null };
  }

  #ordered(order: TraceOrder): Uint32Array {
    const { columns, version } = this.#index;
    if (this.#version !== version) this.#orders.clear();
    this.#version = version;
    const known = this.#orders.get(order);
    if (known) return known;
    const counted = Uint32Array.from(columns.isCounted.keys()).filter((row) => columns.isCounted[row]);
    const made = order === "index" ? byJob(counted, columns) : ranked(this.#ordered("index"), columns[columnOf[order]]);
    this.#orders.set(order, made);
    return made;
  }

  #placeOf(row: number, order: TraceOrder): Place {
    const { columns } = this.#index;
    const { index, repetition } = columns;
    return { value: columns[columnOf[order]][row] ?? 0, index: index[row] ?? 0, repetition: repetition[row] ?? 0 };
  }

  /** Where the page begins: beside the place at which the one before ended. */
  #startOf(ordered: Uint32Array, { after, order, isDescending }: TraceQuery): number {
    if (after === undefined) return isDescending ? ordered.length - 1 : 0;
    const place = readPlace(after);
    let [low, high] = [0, ordered.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const difference = comparePlaces(this.#placeOf(ordered[middle] as number, order), place);
      if (difference < 0 || (difference === 0 && !isDescending)) low = middle + 1;
      else high = middle;
    }
    return isDescending ? low - 1 : low;
  }
}

/** Rows in the order of their jobs. */
function byJob(rows: Uint32Array, { index, repetition }: Columns): Uint32Array {
  return ranked(ranked(rows, repetition), index);
}

/**
 * Rows in the order of their values; those with the same stay as they are. Numbers alone are sorted many times faster
 * than by a comparison, so the values are, and each row then finds its place among them.
 */
function ranked(rows: Uint32Array, values: readonly number[]): Uint32Array {
  const sorted = Float64Array.from(rows, (row) => values[row] ?? 0).sort();
  const taken = new Uint32Array(rows.length);
  const made = new Uint32Array(rows.length);
  for (const row of rows) {
    const first = firstAt(sorted, values[row] ?? 0);
    const place = first + (taken[first] ?? 0);
    taken[first] = (taken[first] ?? 0) + 1;
    made[place] = row;
  }
  return made;
}

/** Where a value first stands. */
function firstAt(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
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
