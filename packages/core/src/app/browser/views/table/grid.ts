import { element, setAttributes } from "../page/element.ts";
import type { Column, Table } from "./read-table.ts";

export interface GridEvents {
  readonly onSort: (column: number) => void;
  /** Called when a row is selected: alone, in addition, or as the end of a range. */
  readonly onSelect: (at: number, how: "only" | "also" | "until") => void;
}

/** A virtualized table: only the visible rows are elements. */
export class Grid {
  readonly root: HTMLElement;
  readonly #table: Table;
  readonly #events: GridEvents;
  readonly #head: HTMLElement;
  readonly #body: HTMLElement;
  #shown: readonly number[] = [];
  #selected: ReadonlySet<number> = new Set();
  #focused = 0;

  constructor(table: Table, events: GridEvents) {
    this.#table = table;
    this.#events = events;
    this.#head = element("div", { class: "row head", attributes: { role: "row", "aria-rowindex": 1 } });
    this.#body = element("div", { class: "body", attributes: { role: "rowgroup" } });
    const rowgroup = element("div", { attributes: { role: "rowgroup" } }, [this.#head]);
    this.root = element(
      "div",
      {
        class: "grid",
        attributes: {
          role: "grid",
          tabindex: 0,
          "aria-label": "Rows",
          "aria-multiselectable": "true",
          "aria-colcount": table.columns.length,
        },
        on: { scroll: () => this.#paint(), keydown: (event) => this.#key(event) },
      },
      [rowgroup, this.#body],
    );
    const widths = widthsOf(table);
    this.root.style.setProperty("--columns", widths.map((width) => `minmax(calc(${width}), 1fr)`).join(" "));
    this.root.style.setProperty("--width", `calc(${widths.join(" + ")})`);
    new ResizeObserver(() => this.#paint()).observe(this.root);
  }

  show(shown: readonly number[], sort: { column: number; down: boolean } | undefined): void {
    this.#shown = shown;
    this.#focused = 0;
    this.root.scrollTop = 0;
    this.root.setAttribute("aria-rowcount", String(shown.length + 1));
    this.#body.style.height = `${shown.length * rowHeight}px`;
    const buttons = () => [...this.#head.querySelectorAll("button")];
    const active = buttons().findIndex((each) => each === document.activeElement);
    this.#head.replaceChildren(...this.#table.columns.map((column, at) => this.#headCell(column, at, sort)));
    buttons()[active]?.focus();
    this.#paint();
  }

  select(selected: ReadonlySet<number>): void {
    this.#selected = selected;
    this.#paint();
  }

  #headCell(column: Column, at: number, sort: { column: number; down: boolean } | undefined): HTMLElement {
    const direction = sort?.column === at ? (sort.down ? "descending" : "ascending") : "none";
    const mark = { ascending: " ↑", descending: " ↓", none: "" }[direction];
    const attributes = { role: "columnheader", "aria-sort": direction, "aria-colindex": at + 1, title: column.title };
    return element("div", { class: `cell ${column.type}`, attributes }, [
      element("button", {
        text: `${column.title}${mark}`,
        attributes: { type: "button", "aria-label": `Sort by ${column.title}` },
        on: { click: () => this.#events.onSort(at) },
      }),
    ]);
  }

  /** Reuses the elements of rows that stay visible, because replacing one would lose a click on it. */
  #paint(): void {
    const first = Math.max(0, Math.floor(this.root.scrollTop / rowHeight) - overscan);
    const count = Math.ceil(this.root.clientHeight / rowHeight) + 2 * overscan;
    const visible = this.#shown.slice(first, first + count);
    const existing = new Map(Array.from(this.#body.children, (row) => [row.id, row as HTMLElement]));
    const kept = new Set(visible.map((at) => idOf(at)));
    for (const [id, row] of existing) if (!kept.has(id)) row.remove();
    let next = this.#body.firstElementChild;
    for (const [offset, at] of visible.entries()) {
      const row = existing.get(idOf(at)) ?? this.#row(at);
      this.#position(row, at, first + offset);
      if (row === next) next = row.nextElementSibling;
      else this.#body.insertBefore(row, next);
    }
    setAttributes(this.root, { "aria-activedescendant": this.#body.querySelector(".focused")?.id });
  }

  #position(row: HTMLElement, at: number, index: number): void {
    row.classList.toggle("focused", index === this.#focused);
    row.style.top = `${index * rowHeight}px`;
    setAttributes(row, { "aria-rowindex": index + 2, "aria-selected": String(this.#selected.has(at)) });
  }

  #row(at: number): HTMLElement {
    const { columns, rows } = this.#table;
    const cells = columns.map(({ type }, column) => {
      const value = rows[at]?.[column] ?? null;
      const text = value === null ? "" : String(value);
      const attributes = { role: "gridcell", "aria-colindex": column + 1, title: text.length > 24 ? text : undefined };
      return element("div", { class: `cell ${type}`, text: text.slice(0, 300), attributes });
    });
    const click = (event: MouseEvent) => {
      this.#focused = this.#shown.indexOf(at);
      this.#events.onSelect(at, event.shiftKey ? "until" : event.ctrlKey || event.metaKey ? "also" : "only");
    };
    return element("div", { class: "row", attributes: { role: "row", id: idOf(at) }, on: { click } }, cells);
  }

  #key(event: KeyboardEvent): void {
    if (event.target !== this.root) return;
    const page = Math.max(1, Math.floor(this.root.clientHeight / rowHeight) - 2);
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    const step = steps[event.key];
    const at = this.#shown[this.#focused];
    if (event.key === " " || event.key === "Enter") {
      event.preventDefault();
      if (at !== undefined) this.#events.onSelect(at, "also");
    } else if (step !== undefined && this.#shown.length > 0) {
      event.preventDefault();
      this.#focused = Math.min(Math.max(this.#focused + step, 0), this.#shown.length - 1);
      this.#reveal();
      const reached = this.#shown[this.#focused];
      if (event.shiftKey && reached !== undefined) this.#events.onSelect(reached, "until");
    }
  }

  /** Scrolls to the focused row. The sticky head covers one row. */
  #reveal(): void {
    const top = this.#focused * rowHeight;
    const bodyHeight = this.root.clientHeight - rowHeight;
    if (top < this.root.scrollTop) this.root.scrollTop = top;
    else if (top + rowHeight > this.root.scrollTop + bodyHeight) this.root.scrollTop = top + rowHeight - bodyHeight;
    this.#paint();
  }
}

function idOf(at: number): string {
  return `row-${at}`;
}

const rowHeight = 32;
const overscan = 6;

/** Column widths by the content of the first rows, within bounds. */
function widthsOf({ columns, rows }: Table): string[] {
  const sample = rows.slice(0, 200);
  return columns.map(({ title }, at) => {
    const longest = Math.max(title.length + 2, ...sample.map((row) => String(row[at] ?? "").length));
    return `${Math.min(Math.max(longest, 4), 32)}ch + 24px`;
  });
}
