import type { Page } from "playwright-core";
import { startServer } from "./server-process.ts";
import { openPage } from "./stored.ts";
import type { Measure } from "./stored.ts";
import type { Table } from "./table.ts";
import { painted, reaction } from "./watch.ts";

/** Reaction times of the actions over many stored calls: ranges of the overview, older calls, filters, the search. */
export async function measureCalls({ browser, file, rounds, table }: Measure): Promise<void> {
  await using server = await startServer(file);
  await using opened = await openPage(browser, server.url, "");
  const { page } = opened;
  const most = { content: 100 };
  await painted(page, `${tools} > 0`);
  for (let round = -1; round < rounds; round++) {
    // The first round warms up.
    const add: Table["addReaction"] = (...args) => (round < 0 ? undefined : table.addReaction(...args));
    add("overview_hour", await chooseRange(page, "Last hour"), most);
    add("overview_month", await chooseRange(page, "Last 30 days"), most);
    await page.goto(`${server.url}/#/live`);
    await painted(page, `${rows} >= 50`);
    add("older_calls", await older(page), most);
    add("failed_calls", await choose(page, "Outcome", "failed"), most);
    add("all_calls", await choose(page, "Outcome", ""), most);
    // What is typed waits for the next key for a moment, so only the feedback has a bound.
    add("calls_of_a_tool", await type(page, "4"));
    await page.goto(`${server.url}/#/`);
    await painted(page, `${tools} > 0`);
    await page.keyboard.press("Control+k");
    await painted(page, `document.querySelector("dialog [role=combobox]")`);
    add("search_everything", await searchEverything(page));
    await page.keyboard.press("Escape");
  }
}

const rows = `document.querySelectorAll("tbody tr").length`;
/** As many rows as fill a screen. The page draws the others a moment later. */
const screen = 24;
const firstRow = `(document.querySelector("tbody tr")?.textContent ?? "")`;
const tools = `document.querySelectorAll("section[aria-labelledby=traffic] tbody tr").length`;

/** A store that was filled some time ago has no calls in the last hour. */
const loading = `document.querySelector("section[aria-labelledby=traffic] .skeleton")`;

function chooseRange(page: Page, label: string) {
  const shown = `document.querySelector("section[aria-labelledby=traffic]").textContent`;
  const input = () => page.getByRole("radio", { name: label }).check({ force: true });
  return reaction(page, { type: "change", of: shown, test: `${shown} !== before && !${loading}`, input });
}

function older(page: Page) {
  const input = () => page.getByRole("button", { name: "Load older calls" }).click();
  return reaction(page, { type: "click", of: rows, test: `${rows} > before`, input });
}

function choose(page: Page, label: string, value: string) {
  const input = () => page.getByLabel(label, { exact: true }).selectOption(value);
  return reaction(page, {
    type: "change",
    of: firstRow,
    test: `${firstRow} !== before && ${rows} >= ${screen}`,
    input,
  });
}

async function type(page: Page, key: string) {
  await page.getByRole("searchbox", { name: "Tool" }).focus();
  const areOfTool = `[...document.querySelectorAll("tbody tr")].every((row) => row.textContent.includes("tool_4"))`;
  return reaction(page, { type: "keydown", test: areOfTool, input: () => page.keyboard.press(key) });
}

/** The last letter of a name that calls, runs and tools have. */
async function searchEverything(page: Page) {
  await page.keyboard.type("man");
  const found = `document.querySelectorAll("dialog [role=option]").length`;
  return reaction(page, { type: "keydown", test: `${found} > 0`, input: () => page.keyboard.press("y") });
}
