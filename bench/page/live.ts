import type { Page } from "playwright-core";
import { flood } from "./flood.ts";
import { startServer } from "./server-process.ts";
import { openPage } from "./stored.ts";
import type { Measure } from "./stored.ts";
import type { Table } from "./table.ts";
import { painted, reaction } from "./watch.ts";

export interface LiveMeasure extends Measure {
  readonly perSecond: number;
  /** Idle time, in which memory growth is measured. */
  readonly seconds: number;
}

/** Measures the live view under load: reaction times, dropped frames and memory growth. */
export async function measureLive(options: LiveMeasure): Promise<void> {
  const { browser, file, rounds, table, perSecond, seconds } = options;
  await using server = await startServer(file);
  await using opened = await openPage(browser, server.url, "#/live");
  const { page } = opened;
  const calls = await flood(server.url, perSecond);
  await painted(page, `document.querySelectorAll("tbody tr").length >= 50`);
  for (let round = -1; round < rounds; round++) {
    const add: Table["addReaction"] = (...args) => (round < 0 ? undefined : table.addReaction(...args));
    add("open_call", await openCall(page), { content: 100 });
    await page.keyboard.press("Escape");
    await painted(page, `!document.querySelector(".live-pane, dialog")`);
    add("pause", await press(page, " ", `document.querySelector(".main").textContent.includes("Resume")`), {
      content: 100,
    });
    await page.keyboard.press(" ");
    add("live_filter", await filter(page, "failed"));
    await filter(page, "");
    add("switch_view", await follow(page, "Tools", `document.querySelector("h1")?.textContent === "Tools"`), {
      content: 100,
    });
    add("switch_back", await follow(page, "Live calls", `document.querySelector(".live-rows tbody tr")`), {
      content: 100,
    });
  }
  await measureQuiet(page, { table, seconds });
  table.add("calls_per_second", calls.stop(), { unit: "" });
}

function openCall(page: Page) {
  // Click a position, because rows keep moving.
  const input = () => page.mouse.click(500, 600);
  const test = `document.querySelector(".live-pane, dialog")?.textContent.includes("Timeline")`;
  return reaction(page, { type: "click", test, input });
}

function press(page: Page, key: string, test: string) {
  return reaction(page, { type: "keydown", test, input: () => page.keyboard.press(key) });
}

function filter(page: Page, outcome: string) {
  const input = () => page.getByLabel("Outcome", { exact: true }).selectOption(outcome);
  const isFailed = `row.querySelector("td:nth-last-child(2)").textContent !== "done"`;
  const shown = `[...document.querySelectorAll("tbody tr")]`;
  const test =
    outcome === ""
      ? `${shown}.some((row) => !(${isFailed}))`
      : `${shown}.length > 0 && ${shown}.every((row) => ${isFailed})`;
  return reaction(page, { type: "change", test, input });
}

function follow(page: Page, name: string, test: string) {
  const input = () => page.getByLabel("Views", { exact: true }).getByRole("link", { name }).click();
  return reaction(page, { type: "click", test, input });
}

/** Without input: frames, long tasks, and memory at the end compared with the start. */
async function measureQuiet(page: Page, { table, seconds }: { table: Table; seconds: number }): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  await session.send("HeapProfiler.enable");
  const held = async () => {
    await session.send("HeapProfiler.collectGarbage");
    const { metrics } = await session.send("Performance.getMetrics");
    const value = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
    return { heap: value("JSHeapUsedSize") / 2 ** 20, nodes: value("Nodes") };
  };
  const before = await held();
  await page.evaluate("watch.start()");
  await page.waitForTimeout(seconds * 1000);
  const { longTasks, frames, dropped } = await page.evaluate<{
    longTasks: readonly number[];
    frames: number;
    dropped: number;
  }>("watch.found.isOver = true, watch.found");
  const after = await held();
  const rows = await page.locator("tbody tr").count();
  table.add("long_tasks_a_minute", (longTasks.length / seconds) * 60, { unit: "" });
  table.add("longest_task", Math.max(0, ...longTasks));
  table.add("dropped_frames", (dropped / (frames + dropped)) * 100, { unit: "%" });
  table.add("rows", rows, { unit: "", most: 200 });
  table.add("heap", after.heap, { unit: "MB" });
  table.add("heap_growth", after.heap / before.heap, { unit: "x", most: 1.25 });
  table.add("node_growth", after.nodes / before.nodes, { unit: "x", most: 1.25 });
}
