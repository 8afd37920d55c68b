import type { Table } from "./read-table.ts";

/** The selected rows. The model is informed shortly after the last change. */
export class Selection {
  readonly #table: Table;
  readonly #updateModel: (content: string) => void;
  #chosen = new Set<number>();
  #last: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(table: Table, updateModel: (content: string) => void) {
    this.#table = table;
    this.#updateModel = updateModel;
  }

  /** In the order of the table. */
  get rows(): readonly number[] {
    return Array.from(this.#chosen).sort((a, b) => a - b);
  }

  choose(at: number, how: "only" | "also" | "until", shown: readonly number[]): ReadonlySet<number> {
    if (how === "until") this.#chosen = new Set(between(shown, this.#last ?? at, at));
    else if (how === "also") this.#chosen = toggled(this.#chosen, at);
    else this.#chosen = this.#chosen.size === 1 && this.#chosen.has(at) ? new Set() : new Set([at]);
    if (how !== "until") this.#last = at;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#updateModel(this.#describe()), 150);
    return this.#chosen;
  }

  #describe(): string {
    const { columns, rows } = this.#table;
    if (this.#chosen.size === 0) return "In the table no row is selected.";
    const listed = this.rows.slice(0, maxListed).map((at) => {
      const row = rows[at] ?? [];
      return JSON.stringify(Object.fromEntries(columns.map(({ title }, column) => [title, shortened(row[column])])));
    });
    const more = this.#chosen.size - listed.length;
    const head = `In the table the user selected ${this.#chosen.size === 1 ? "this row" : `these ${this.#chosen.size} rows`}:`;
    return [head, ...listed, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
  }
}

const maxListed = 50;

function between(shown: readonly number[], from: number, to: number): readonly number[] {
  const [one, other] = [shown.indexOf(from), shown.indexOf(to)];
  return one < 0 ? [to] : shown.slice(Math.min(one, other), Math.max(one, other) + 1);
}

function toggled(chosen: ReadonlySet<number>, at: number): Set<number> {
  const next = new Set(chosen);
  if (!next.delete(at)) next.add(at);
  return next;
}

function shortened(cell: unknown): unknown {
  return typeof cell === "string" && cell.length > 300 ? `${cell.slice(0, 300)}…` : cell;
}
