import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { server, tool } from "biplane";
import { tableApp } from "../../packages/core/src/app/built-in.ts";
import { connect } from "biplane/client";
import { openStage } from "./built-in-stage.ts";
import type { Stage } from "./built-in-stage.ts";

// A browser on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const patient = { timeout: 10_000 };
const hostile = `<img src="x" onerror="globalThis.pwned = true">`;
const cities = ["Oslo", "Rome", "Berlin", hostile];
const rows = Array.from({ length: 5000 }, (_, at) => [at, cities[at % 4], (at * 37) % 997, `2026-0${1 + (at % 9)}-01`]);

async function database() {
  const gateway = server({
    name: "database",
    version: "1.0.0",
    tools: [
      tool({
        name: "orders",
        description: "All orders",
        ui: tableApp(),
        run: () => ({ columns: ["id", "city", "total", "day"], rows }),
      }),
      tool({
        name: "people",
        description: "All people",
        ui: tableApp(),
        run: () => [
          { name: "Ada", year: 1815 },
          { name: "=SUM(A1)", year: 1906, note: 'says "hi"' },
        ],
      }),
      tool({
        name: "nothing",
        description: "Fails",
        ui: tableApp(),
        run: () => {
          throw new Error("the database is asleep");
        },
      }),
    ],
  });
  const { url } = await gateway.serve({ url: "http://127.0.0.1:0", graceMs: 200 });
  return { url: `${url}/mcp`, [Symbol.asyncDispose]: () => gateway.close() };
}

test("thousands of rows are sorted, filtered, charted and selected, and what is in them is text", async () => {
  await using gateway = await database();
  await using client = await connect(gateway.url, { apps: true });
  await using shown = await stage.show(client, { tool: "orders", width: 720 });
  const { view } = shown;
  await view.getByText("5000 rows.").waitFor();
  const cell = (row: number, column: number) =>
    view.locator(`.body [aria-rowindex="${row + 2}"] [role=gridcell]`).nth(column);

  // Only what is in sight is there, and the end can be reached.
  expect(await view.locator(".body .row").count()).toBeLessThan(60);
  await view.getByRole("grid").focus();
  await shown.page.keyboard.press("End");
  await expect.poll(() => cell(4999, 0).textContent(), patient).toBe("4999");
  expect(await view.locator(".body .row").count()).toBeLessThan(60);

  // Nothing of it is HTML.
  await shown.page.keyboard.press("Home");
  await expect.poll(() => cell(3, 1).textContent(), patient).toBe(hostile);
  expect(await view.locator("img").count()).toBe(0);
  expect(await view.evaluate("globalThis.pwned")).toBeUndefined();

  // By number and not by letters: 9 is less than 10.
  await view.getByRole("button", { name: "Sort by total" }).click();
  await expect.poll(() => cell(0, 2).textContent(), patient).toBe("0");
  const totals = rows.map((row) => Number(row[2])).sort((a, b) => a - b);
  await expect.poll(() => cell(14, 2).textContent()).toBe(String(totals[14]));
  await view.getByRole("button", { name: "Sort by total" }).click();
  await expect.poll(() => cell(0, 2).textContent(), patient).toBe("996");
  await expect
    .poll(() => view.getByRole("columnheader", { name: "Sort by total" }).getAttribute("aria-sort"))
    .toBe("descending");

  await view.getByRole("searchbox").fill("rome 996");
  const found = rows.filter((row) => row[1] === "Rome" && row.join(" ").includes("996")).length;
  await expect.poll(() => view.getByRole("status").textContent(), patient).toBe(`${found} of 5000 rows.`);
  await expect.poll(() => cell(0, 1).textContent()).toBe("Rome");

  // Two rows, the second one with all in between.
  await cell(0, 1).click();
  await cell(1, 1).click({ modifiers: ["Shift"] });
  await expect.poll(() => shown.contexts.at(-1), patient).toContain("the user selected these 2 rows");
  expect(shown.contexts.at(-1)).toContain('"city":"Rome","total":996');

  await view.getByRole("searchbox").fill("");
  await view.getByRole("button", { name: "Chart" }).click();
  await view.getByLabel("Values", { exact: true }).selectOption("Number of rows");
  await view.getByLabel("By", { exact: true }).selectOption("city");
  const chart = view.getByRole("img");
  await expect
    .poll(() => chart.getAttribute("aria-label"))
    .toBe(`rows by city: Rome 1,250, Berlin 1,250, ${hostile} 1,250, Oslo 1,250`);
  await expect.poll(() => view.locator("rect.bar").count()).toBe(4);
  await view.getByLabel("By", { exact: true }).selectOption("day");
  await view.getByLabel("Kind", { exact: true }).selectOption("Line");
  await expect.poll(() => view.locator("circle.dot").count()).toBe(9);
  expect(await shown.barriers()).toEqual([]);
});

test.each([
  ["modern", "ours"],
  ["legacy", "official"],
] as const)("a list of objects is a table in the %s era and %s host, and is copied as CSV", async (era, host) => {
  await using gateway = await database();
  await using client = await connect(gateway.url, { apps: true, era });
  await using shown = await stage.show(client, { tool: "people", host });
  const { view, page } = shown;
  await view.getByText("2 rows.").waitFor();
  await expect.poll(() => view.getByRole("columnheader").allTextContents()).toEqual(["name", "year", "note"]);
  if (host === "ours") expect(await shown.barriers()).toEqual([]);
  await view.getByRole("button", { name: "Copy CSV" }).click();
  await view.getByText("Copied 2 rows.").waitFor();
  await page.evaluate(`document.body.append(Object.assign(document.createElement("textarea"), { id: "paste" }))`);
  await page.locator("#paste").focus();
  await page.keyboard.press("Control+V");
  await expect
    .poll(() => page.locator("#paste").inputValue())
    .toBe(["name,year,note", "Ada,1815,", `'=SUM(A1),1906,"says ""hi"""`].join("\n"));
});

test("a failure is shown as text, not as a table", async () => {
  await using gateway = await database();
  await using client = await connect(gateway.url, { apps: true });
  await using shown = await stage.show(client, { tool: "nothing" });
  await expect.poll(() => shown.view.locator(".problem").textContent(), patient).toContain("the database is asleep");
});
