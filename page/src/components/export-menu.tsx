import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { plural } from "../format.ts";
import { saveFile } from "../saved-file.ts";
import { Icon } from "./icon.tsx";
import { Menu } from "./menu.tsx";
import { toast, toastProblem } from "./toast.tsx";

/** One page of a list. `next` is null on the last one. */
export interface ExportPage<Item, Cursor> {
  readonly items: readonly Item[];
  readonly next: Cursor | null;
}

/** Saves a list as CSV or JSON lines. It loads page by page, up to a limit that fits in memory. */
export function ExportMenu<Item, Cursor>(props: {
  readonly label: string;
  /** Start of the file's name, and the words for one and for many items. */
  readonly name: string;
  readonly one: string;
  readonly many: string;
  readonly maxItems: number;
  readonly load: (after: Cursor | undefined) => Promise<ExportPage<Item, Cursor>>;
  readonly toCsv: (items: readonly Item[]) => string;
}): JSX.Element {
  const { label, name, one, many, maxItems, load, toCsv } = props;
  const [isBusy, setBusy] = useState(false);
  const run = async (format: "csv" | "jsonl") => {
    setBusy(true);
    try {
      const { items, isCut } = await loadAll(load, maxItems);
      const stamp = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
      const text = format === "csv" ? toCsv(items) : items.map((item) => `${JSON.stringify(item)}\n`).join("");
      saveFile(`${name}-${stamp}.${format}`, text, format === "csv" ? "text/csv" : "application/x-ndjson");
      toast(`Exported ${isCut ? "the newest " : ""}${plural(items.length, one, many)}.`);
    } catch (error) {
      toastProblem(error);
    }
    setBusy(false);
  };
  return (
    <Menu
      label={label}
      class="button button-plain button-usual"
      items={[
        { title: "CSV", run: () => void run("csv") },
        { title: "JSON lines", run: () => void run("jsonl") },
      ]}
    >
      {isBusy ? <span class="spinner" aria-hidden="true" /> : <Icon name="external" />}
      <span>Export</span>
    </Menu>
  );
}

async function loadAll<Item, Cursor>(
  load: (after: Cursor | undefined) => Promise<ExportPage<Item, Cursor>>,
  maxItems: number,
): Promise<{ items: readonly Item[]; isCut: boolean }> {
  const items: Item[] = [];
  for (let after: Cursor | undefined; items.length < maxItems;) {
    const page = await load(after);
    items.push(...page.items);
    if (page.next === null) return { items, isCut: false };
    after = page.next;
  }
  return { items: items.slice(0, maxItems), isCut: true };
}
