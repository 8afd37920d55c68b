import type { Browser, Page } from "playwright-core";
import { passphrase } from "../../test/support/page.ts";
import { startServer } from "./server-process.ts";
import type { Table } from "./table.ts";
import { addWatch, painted, reaction } from "./watch.ts";

export interface Measure {
  readonly browser: Browser;
  /** The store with the runs. */
  readonly file: string;
  readonly run: string;
  readonly rounds: number;
  readonly table: Table;
}

/** Time to first content, with a cold browser and a cold server. */
export async function measureFirst({ browser, file, run, rounds, table }: Measure): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await using server = await startServer(file);
    await using overview = await openPage(browser, server.url, "");
    table.add("overview_first", await painted(overview.page, `document.querySelector(".figure-value")`), {
      most: 1000,
    });
    await using opened = await openPage(browser, server.url, `#/runs/${run}`);
    const figures = painted(opened.page, `document.querySelector(".run-figures .figure-value")`);
    const rows = painted(opened.page, `document.querySelector("tbody tr")`);
    table.add("run_first_figures", await figures, { most: 1000 });
    table.add("run_first_rows", await rows, { most: 1000 });
  }
}

/** Reaction times of the actions in a large run. */
export async function measureRun({ browser, file, run, rounds, table }: Measure): Promise<void> {
  await using server = await startServer(file);
  await using opened = await openPage(browser, server.url, `#/runs/${run}`);
  const { page } = opened;
  await page.waitForSelector("tbody tr");
  for (let round = -1; round < rounds; round++) {
    // The first round warms up.
    const add: Table["addReaction"] = (...args) => (round < 0 ? undefined : table.addReaction(...args));
    const most = { content: 100 };
    add("next_page", await nextPage(page), most);
    add("order", await sort(page, "Reward"), most);
    add("order_back", await sort(page, "Rollout"), most);
    add("filter", await choose(page, "Ending", "max_steps"), most);
    add("filter_off", await choose(page, "Ending", ""), most);
    add("search", await search(page, "7"), most);
    await page.keyboard.press("Backspace");
    await painted(page, `${firstRow}.includes("#0")`);
    add("open_trace", await openTrace(page), most);
    add("step", await step(page), most);
    add("back_to_run", await back(page), most);
  }
}

const firstRow = `(document.querySelector("tbody tr")?.textContent ?? "")`;
const rows = `document.querySelectorAll("tbody tr").length`;

function nextPage(page: Page) {
  const input = () => page.getByRole("button", { name: "Load more" }).click();
  return reaction(page, { type: "click", of: rows, test: `${rows} > before`, input });
}

function choose(page: Page, label: string, value: string) {
  const input = () => page.getByLabel(label, { exact: true }).selectOption(value);
  const test = `${firstRow} !== before && ${firstRow} !== ""`;
  return reaction(page, { type: "change", of: firstRow, test, input });
}

function sort(page: Page, heading: string) {
  const input = () => page.getByRole("columnheader", { name: heading }).getByRole("button").click();
  const test = `${firstRow} !== before && ${firstRow} !== ""`;
  return reaction(page, { type: "click", of: firstRow, test, input });
}

async function search(page: Page, key: string) {
  await page.getByRole("searchbox", { name: "Search row, seed or number" }).focus();
  const input = () => page.keyboard.press(key);
  return reaction(page, { type: "keydown", test: `${firstRow}.includes("#${key}")`, input });
}

function openTrace(page: Page) {
  const input = () => page.locator("tbody tr").nth(1).getByRole("link").click();
  return reaction(page, { type: "click", test: `document.querySelector(".scrubber")`, input });
}

function step(page: Page) {
  const said = `document.querySelector(".scrubber-foot [aria-live]").textContent`;
  const input = () => page.keyboard.press("ArrowRight");
  return reaction(page, { type: "keydown", of: said, test: `${said} !== before`, input });
}

function back(page: Page) {
  const input = () => page.locator('a[href="#/runs/many"]').first().click();
  return reaction(page, { type: "click", test: `document.querySelector("tbody tr")`, input });
}

/** Opens a page in a new browser context, signed in as ada. */
export async function openPage(browser: Browser, url: string, hash: string): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await addWatch(context);
  const answer = await context.request.post(`${url}/api/session`, { data: { name: "ada", passphrase } });
  if (!answer.ok()) throw new Error(`Signing in as ada failed with status ${answer.status()}.`);
  const { key } = (await answer.json()) as { key: string };
  await context.addInitScript(`localStorage.setItem("biplane-key", ${JSON.stringify(key)})`);
  const page = await context.newPage();
  await page.goto(`${url}/${hash}`, { waitUntil: "commit" });
  return { page, [Symbol.asyncDispose]: () => context.close() };
}

export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
}
