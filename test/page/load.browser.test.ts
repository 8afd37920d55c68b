import { serverOf } from "@biplane/core/internal";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "biplane/store";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeManyTraces } from "../../bench/page/many-traces.ts";
import { server, tool } from "biplane";
import { LiveCall } from "../../packages/core/src/call/live-call.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import type { SqlStore } from "biplane/store";
import { openChromium } from "../support/chromium.ts";
import { lookAt, openPageGateway, passphrase } from "../support/page.ts";
import type { PageGateway } from "../support/page.ts";

const count = process.env["BIPLANE_SOAK"] ? 100_000 : 5000;

let browser: Browser;
let folder: string;
let store: SqlStore;
let gateway: PageGateway;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-load-"));
  store = await openStore(join(folder, "runs.db"));
  await writeManyTraces(store, { run: "many", count });
  [browser, gateway] = await Promise.all([
    openChromium(),
    openPageGateway({ served: [frozenLake()], kit: (parts) => ({ stores: [parts.store, store] }) }),
  ]);
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
  await store?.close();
  await rm(folder, { recursive: true, force: true });
});

const rows = (page: Page) => page.getByRole("table", { name: "Rollouts" }).locator("tbody tr");

/** What will be so in a moment, on however busy a machine. */
const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 10_000 });

/** What the page asks of the API, and how much it is sent for it. */
function traffic(page: Page) {
  const answers: { readonly path: string; readonly bytes: number }[] = [];
  page.on("requestfinished", (request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith("/api/") || pathname === "/api/events") return;
    request.sizes().then(
      ({ responseBodySize }) => answers.push({ path: pathname, bytes: responseBodySize }),
      () => undefined, // the page was closed meanwhile
    );
  });
  return { of: (path: string) => answers.filter((each) => each.path === path) };
}

describe("a run of very many traces", () => {
  test("is shown by a page of rows and a few kilobytes, however many there are", async () => {
    await using look = await lookAt(browser, gateway);
    const { page, problems } = look;
    const seen = traffic(page);
    await page.goto(`${gateway.url}/#/runs/many`);
    await eventually(() => rows(page).count()).toBe(50);
    await eventually(() => seen.of("/api/runs/many/traces").length).toBe(1);
    for (const { bytes } of [...seen.of("/api/runs/many"), ...seen.of("/api/runs/many/traces")])
      expect(bytes).toBeLessThan(30_000);
    expect(await page.locator(".main *").count()).toBeLessThan(3000);
    await page.getByRole("button", { name: "Load more" }).click();
    await eventually(() => rows(page).count()).toBe(100);
    await eventually(() => seen.of("/api/runs/many/traces").length).toBe(2);
    const order = await rows(page).locator("td:first-child .num").allInnerTexts();
    expect(order.map((text) => Number(/#([\d,]+)/.exec(text)?.[1]?.replaceAll(",", "")))).toEqual(
      Array.from({ length: 100 }, (_, at) => at),
    );
    expect(problems).toEqual([]);
  });

  test("keeps its rows in sight until those of another order or filter are there, and its curve as it is", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs/many" });
    const { page, problems } = look;
    const seen = traffic(page);
    await eventually(() => rows(page).count()).toBe(50);
    await page.evaluate(`
      globalThis.fewest = Infinity;
      globalThis.redrawn = 0;
      const count = () => { fewest = Math.min(fewest, document.querySelectorAll("tbody tr").length); };
      new MutationObserver(count).observe(document.querySelector(".main"), { childList: true, subtree: true });
      new MutationObserver((changes) => { redrawn += changes.length; })
        .observe(document.querySelector(".run-curve"), { childList: true, subtree: true, attributes: true });
    `);
    await page.getByRole("columnheader", { name: "Reward" }).getByRole("button").click();
    await eventually(() => rows(page).first().innerText()).toContain("1.498");
    await page.getByLabel("Ending", { exact: true }).selectOption("max_steps");
    await eventually(() => rows(page).first().innerText()).toContain("step limit reached");
    await expect.poll(() => rows(page).count()).toBe(50);
    expect(await page.evaluate("fewest")).toBe(50);
    expect(await page.evaluate("redrawn")).toBe(0);
    // One for the first page, and one for each question.
    await eventually(() => seen.of("/api/runs/many/traces").length).toBe(3);
    await page.getByRole("searchbox", { name: "Search row, seed or number" }).fill("no such row");
    await page.getByText("No matching rollouts").waitFor();
    expect(problems).toEqual([]);
  });

  test("is shown at once to the same person who returns", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs/many" });
    const { page } = look;
    await rows(page).nth(5).getByRole("link").click();
    await page.getByText("Before the first step").waitFor();
    // From now on the server is asked in vain.
    await page.route("**/api/runs/**", () => undefined);
    const asked = page.waitForRequest("**/api/runs/many/traces?*");
    await page.locator('a[href="#/runs/many"]').first().click();
    await asked;
    await eventually(() => rows(page).count()).toBe(50);
    await page.getByRole("button", { name: "ada" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByLabel("Name").fill("ada");
    await page.getByLabel("Passphrase", { exact: true }).fill(passphrase);
    const askedAgain = page.waitForRequest("**/api/runs/many/traces?*");
    await page.getByRole("button", { name: "Sign in" }).click();
    await askedAgain;
    await page.getByRole("heading", { name: "Run", exact: true }).waitFor();
    expect(await rows(page).count()).toBe(0);
  });

  test("opens a trace and goes through it without asking for more of it", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/runs/many" });
    const { page, problems } = look;
    await rows(page).nth(5).getByRole("link").click();
    await page.getByText("Before the first step").waitFor();
    const asked: string[] = [];
    page.on("request", (request) => {
      // The menu asks for its own figures and badges.
      if (/\/api\/(?!overview|scripts)/.test(request.url())) asked.push(request.url());
    });
    await page.keyboard.press("End");
    await page.getByText("Step 8 of 8").waitFor();
    await page.keyboard.press("Home");
    await page.getByText("Before the first step").waitFor();
    // Only whether the tool has an app, once.
    expect(asked.filter((address) => !address.includes("/api/tools?"))).toEqual([]);
    expect(asked.length).toBeLessThanOrEqual(1);
    expect(problems).toEqual([]);
  });
});

describe("live calls", () => {
  test("that are no longer shown are no longer held", async () => {
    const made = server({ name: "sums", version: "1", tools: [tool({ name: "add", run: () => "added" })] });
    await using busy = await openPageGateway({ served: [made] });
    await using look = await lookAt(browser, busy, { hash: "#/live" });
    const { page, problems } = look;
    await page.getByText("No calls yet").waitFor();
    const newest = page.locator("tbody tr").first();
    for (let round = 0; round < 20; round++) {
      const agentId = `agent-${round}`;
      const agent = { agentId, model: "none", requestId: agentId, metadata: {} };
      const principal = { kind: "anonymous" as const, id: "anonymous", scopes: [] };
      for (let at = 0; at < 30; at++)
        await serverOf(made).perform(new LiveCall({ tool: "add", input: {}, route: "mcp", agent, principal }));
      await eventually(() => newest.innerText()).toContain(agentId);
    }
    const session = await page.context().newCDPSession(page);
    await session.send("HeapProfiler.collectGarbage");
    const { nodes } = await session.send("Memory.getDOMCounters");
    const shown = await page.evaluate<number>("document.querySelectorAll('*').length");
    expect(await page.locator("tbody tr").count()).toBeLessThanOrEqual(200);
    // Texts and what is about to go are nodes too.
    expect(nodes).toBeLessThan(shown * 2.5);
    expect(problems).toEqual([]);
  }, 60_000);
});
