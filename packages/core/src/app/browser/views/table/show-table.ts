import { element } from "../page/element.ts";
import { arrange } from "./arrange.ts";
import { chart } from "./chart.ts";
import { toCsv } from "./csv.ts";
import { Grid } from "./grid.ts";
import type { Table } from "./read-table.ts";
import { Selection } from "./selection.ts";

/** The table with filter, chart and copy buttons. */
export function showTable(table: Table, options: { updateModel: (content: string) => void }): HTMLElement {
  let filter = "";
  let sort: { column: number; down: boolean } | undefined;
  let shown: readonly number[] = [];
  let isChart = false;

  const selection = new Selection(table, options.updateModel);
  const grid = new Grid(table, {
    onSort: (column) => {
      sort = sort?.column !== column ? { column, down: false } : sort.down ? undefined : { column, down: true };
      update();
    },
    onSelect: (at, how) => {
      grid.select(selection.choose(at, how, shown));
      count();
    },
  });
  const search = element("input", {
    attributes: { type: "search", placeholder: "Filter", "aria-label": "Filter the rows", spellcheck: "false" },
    on: {
      input: () => {
        filter = search.value;
        update();
      },
    },
  });
  const toggle = button("Chart", () => {
    isChart = !isChart;
    toggle.textContent = isChart ? "Table" : "Chart";
    draw();
  });
  const copy = button("Copy CSV", async () => {
    const rows = selection.rows.length > 0 ? selection.rows : shown;
    const isCopied = await copyText(toCsv(table, rows));
    status.textContent = isCopied ? `Copied ${plural(rows.length)}.` : "This host does not allow copying.";
  });
  const status = element("p", { class: "note", attributes: { role: "status" } });
  const choice = chartChoice(table, () => draw());
  const chartArea = element("div", { class: "chart-area" });

  const draw = () => {
    grid.root.hidden = isChart;
    choice.root.hidden = chartArea.hidden = !isChart;
    const width = chartArea.clientWidth;
    if (isChart) chartArea.replaceChildren(chart(table, shown, { ...choice.options(), width }));
  };
  const count = () => {
    const { length } = selection.rows;
    const of = shown.length === table.rows.length ? "" : ` of ${table.rows.length}`;
    const missing = table.omitted > 0 ? ` ${table.omitted} more are not shown.` : "";
    status.textContent = `${shown.length}${of} ${shown.length === 1 && of === "" ? "row" : "rows"}${length > 0 ? `, ${length} selected` : ""}.${missing}`;
  };
  const update = () => {
    shown = arrange(table, { filter, sort });
    grid.show(shown, sort);
    count();
    draw();
  };
  const toolbar = element("div", { class: "toolbar" }, [search, toggle, copy]);
  const root = element("section", { attributes: { "aria-label": "Table" } }, [
    element("h1", { class: "hidden", text: "Table" }),
    toolbar,
    choice.root,
    chartArea,
    grid.root,
    status,
  ]);
  update();
  let width = 0;
  new ResizeObserver(() => {
    // Drawing changes the height, which must not trigger another drawing.
    if (chartArea.clientWidth === width) return;
    width = chartArea.clientWidth;
    draw();
  }).observe(chartArea);
  return root;
}

function plural(rows: number): string {
  return `${rows} ${rows === 1 ? "row" : "rows"}`;
}

function button(text: string, press: () => void | Promise<void>): HTMLButtonElement {
  return element("button", { text, attributes: { type: "button" }, on: { click: () => void press() } });
}

/** The chart settings (default: the first number column by the first other column). */
function chartChoice({ columns }: Table, changed: () => void) {
  const numbers = columns.flatMap(({ type }, at) => (type === "number" ? [at] : []));
  const names = columns.findIndex(({ type }) => type !== "number");
  const value = select("Values", [
    ...numbers.map((at) => [String(at), columns[at]?.title ?? ""] as const),
    ["", "Number of rows"],
  ]);
  const category = select(
    "By",
    columns.map(({ title }, at) => [String(at), title] as const),
  );
  category.value = String(Math.max(names, 0));
  const kind = select("Kind", [
    ["bar", "Bars"],
    ["line", "Line"],
  ]);
  if (columns[names]?.type === "date") kind.value = "line";
  for (const each of [value, category, kind]) each.addEventListener("change", changed);
  const label = (text: string, field: HTMLElement) => element("label", {}, [element("span", { text }), field]);
  return {
    root: element("div", { class: "choice" }, [label("Values", value), label("By", category), label("As", kind)]),
    options: () => ({
      kind: kind.value as "bar" | "line",
      category: Number(category.value),
      value: value.value === "" ? undefined : Number(value.value),
    }),
  };
}

function select(name: string, options: readonly (readonly [value: string, text: string])[]): HTMLSelectElement {
  const made = options.map(([value, text]) => element("option", { text, attributes: { value } }));
  return element("select", { attributes: { "aria-label": name } }, made);
}

/** Copies text to the clipboard. Returns whether it worked. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.body.appendChild(element("textarea", { class: "hidden", attributes: { tabindex: -1 } }));
  const before = document.activeElement;
  area.value = text;
  area.select();
  // Works without the clipboard permission, which some hosts do not grant.
  // oxlint-disable-next-line typescript/no-deprecated
  const isCopied = document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
