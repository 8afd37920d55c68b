import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openChromium } from "../support/chromium.ts";
import { lookAt, problemsEverywhere } from "../support/page.ts";
import type { Look } from "../support/page.ts";
import { callAs, eventually, hostile, openToolsGateway, problemsOf, secret } from "./tools-stage.ts";
import type { ToolsGateway } from "./tools-stage.ts";

let browser: Browser;
let gateway: ToolsGateway;
let look: Look;
let page: Page;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([openChromium(), openToolsGateway()]);
  look = await lookAt(browser, gateway, { hash: "#/live" });
  ({ page } = look);
});

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

describe("live calls", () => {
  test("show up as they happen, the newest first", async () => {
    await page.getByText("No calls yet").waitFor();
    expect(await page.getByRole("button", { name: "Pause" }).count()).toBe(0);
    await callAs("clerk", gateway.shop, { tool: "get_customer", input: { customerId: "ada" } });
    await page.getByRole("link", { name: "get_customer" }).waitFor();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await callAs("buyer", gateway.shop, { tool: "refund", input: { customerId: "ada", amount: 5000 } });
    await eventually(tools).toEqual(["refund", "get_customer"]);
    const first = () => page.locator("tbody tr").first().innerText();
    await expect.poll(first).toMatch(/refund\s+ada, 5000\s+buyer\s+policy denied/);
    const pulse = () => page.locator(".live-rates").innerText();
    await eventually(pulse).toMatch(/[1-9]\d*\s+denied or failed in the last minute/);
  });

  test("show their input at every width, in a column or below the tool", async () => {
    const { width, height } = page.viewportSize() ?? { width: 1280, height: 800 };
    const row = page.locator("tbody tr").filter({ hasText: "refund" });
    for (const size of [390, 959, 960, 1100, 1199, 1200, 1280, 1920]) {
      await page.setViewportSize({ width: size, height });
      await expect
        .poll(() => row.getByText("ada, 5000").filter({ visible: true }).count(), { message: `${size} px` })
        .toBe(1);
    }
    await page.setViewportSize({ width, height });
  });

  test("are filtered by agent, tool, route and outcome, and the filter is in the address", async () => {
    await page.getByRole("searchbox", { name: "Agent" }).fill("cler");
    await eventually(tools).toEqual(["get_customer"]);
    await expect.poll(() => page.url()).toContain("agent=cler");
    await callAs("buyer", gateway.shop, { tool: "turn" });
    await callAs("clerk", gateway.shop, { tool: "leak" });
    await eventually(tools).toEqual(["leak", "get_customer"]);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("combobox", { name: "Outcome" }).selectOption("failed");
    await eventually(tools).toEqual(["refund"]);
    await page.getByRole("combobox", { name: "Route" }).selectOption("script");
    await page.getByText("No matching calls").waitFor();
    await page.getByRole("link", { name: "Show all calls" }).click();
    await eventually(tools).toEqual(["leak", "turn", "refund", "get_customer"]);
  });

  test("stand still while they are paused, and say how many came meanwhile", async () => {
    await page.keyboard.press("Space");
    await page.getByText("paused", { exact: true }).waitFor();
    for (let at = 0; at < 3; at++) await callAs("clerk", gateway.shop, { tool: "turn" });
    await page.getByText("3 calls since the pause").waitFor();
    expect(await tools()).toHaveLength(4);
    await page.keyboard.press("Space");
    await eventually(tools).toHaveLength(7);
    await page.getByText("paused", { exact: true }).waitFor({ state: "detached" });
  });

  test("are shown after the calls before them, not alone", async () => {
    await using late = await lookAt(browser, gateway, { hash: "#/tools" });
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await late.page.route("**/api/calls?*", (route) => isReleased.then(() => route.continue()));
    await late.page.goto(`${gateway.url}/#/live`);
    await late.page.getByRole("status", { name: "Loading" }).waitFor();
    await callAs("buyer", gateway.shop, { tool: "turn" });
    await eventually(tools).toHaveLength(8);
    expect(await late.page.locator("tbody tr").count()).toBe(0);
    release();
    await eventually(() => late.page.locator("tbody tr").count()).toBe(8);
    expect(problemsOf(late)).toEqual([]);
  });

  test("show a hostile name as text", async () => {
    await callAs(hostile, gateway.shop, { tool: `x${hostile}` });
    await eventually(async () => (await tools())[0]).toContain("<img src=x");
    const row = await page.locator("tbody tr").first().innerText();
    expect(row).toContain("RLO");
    expect(row).not.toContain("\u202e");
    expect(await page.title()).toBe("Live calls · Biplane");
  });

  test("pass the accessibility check in light and dark, wide and narrow", async () => {
    expect(await problemsEverywhere(page)).toEqual([]);
  });
});

describe("a call, opened", () => {
  test("says who decided what, where the time went, and leads on", async () => {
    await page.goto(`${gateway.url}/#/live?tool=refund`);
    await eventually(tools).toEqual(["refund"]);
    await page.getByRole("link", { name: "refund" }).click();
    const drawer = page.getByRole("complementary", { name: "Call" });
    await drawer.getByText("Timeline").waitFor();
    await expect.poll(() => page.url()).toMatch(/#\/live\/[\w-]+\?tool=refund/);
    expect(await drawer.locator("time").innerText()).toMatch(/^\d+ \w+, \d\d:\d\d:\d\d\.\d{3}$/);
    expect(await drawer.getByRole("heading", { level: 3 }).allInnerTexts()).toEqual(["Input", "Timeline"]);
    const steps = await drawer.getByRole("list", { name: "Timeline of the call" }).innerText();
    expect(steps).toMatch(/Apply policies[^]*[µm]s[^]*denied[^]*refundRule[^]*Not above 1000/);
    await expect.poll(() => drawer.innerText()).toContain("token of buyer");
    expect(await problemsEverywhere(page)).toEqual([]);
    const again = await drawer.getByRole("link", { name: "Call again with this input" }).getAttribute("href");
    expect(again).toBe(`#/tools/shop/refund?input=${encodeURIComponent('{"customerId":"ada","amount":5000}')}`);
    await drawer.getByRole("link", { name: "Call again with this input" }).click();
    await eventually(() => page.getByLabel("amount").inputValue()).toBe("5000");
  });

  test("shows where secrets were, and j and k go to the calls beside it", async () => {
    await page.goto(`${gateway.url}/#/live?agent=clerk`);
    await eventually(tools).toEqual(["turn", "turn", "turn", "leak", "get_customer"]);
    await page.getByRole("link", { name: "leak" }).click();
    const name = page.locator(".live-tool");
    await eventually(() => name.innerText()).toBe("leak");
    await page.getByText("1 secret redacted").waitFor();
    await page.locator(".live-pane .redacted", { hasText: "TOKEN" }).first().waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.keyboard.press("j");
    await eventually(() => name.innerText()).toBe("get_customer");
    await page.keyboard.press("k");
    await page.keyboard.press("k");
    await eventually(() => name.innerText()).toBe("turn");
    await page.keyboard.press("Escape");
    await eventually(() => page.getByRole("complementary").count()).toBe(0);
    await expect.poll(() => page.url()).toMatch(/#\/live\?agent=clerk$/);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "Call" }).waitFor();
    await page.keyboard.press("Escape");
  });

  test("that was a step says what it was worth, and leads to its episode", async () => {
    const answer = await page.request.post(`${gateway.url}/api/episodes`, {
      data: { server: "counting" },
      headers: look.headers,
    });
    const { id } = (await answer.json()) as { id: string };
    const data = { server: "counting", tool: "add", input: { amount: 3 }, via: ["step"], episode: id };
    const { results } = (await (
      await page.request.post(`${gateway.url}/api/calls`, { data, headers: look.headers })
    ).json()) as {
      results: readonly { call: string }[];
    };
    await page.goto(`${gateway.url}/#/live/${results[0]?.call}`);
    await page.getByText("1, reward 3").waitFor();
    await expect.poll(() => page.getByRole("link", { name: id }).getAttribute("href")).toBe(`#/episodes/${id}`);
  });

  test("that is no longer kept says so", async () => {
    await page.goto(`${gateway.url}/#/live/nothing-1`);
    await page.getByText("only the most recent ones are kept").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("complementary").waitFor({ state: "detached" });
    await expect.poll(() => page.url()).toMatch(/#\/live$/);
  });
});

describe("the list", () => {
  test("is filtered by run time and by time, and a filter is saved under a name, also a hostile one", async () => {
    await page.goto(`${gateway.url}/#/live?since=${new Date(Date.now() + 3_600_000).toISOString()}`);
    await page.getByText("No matching calls").waitFor();
    await page.getByRole("button", { name: /^since/ }).click();
    await eventually(async () => (await tools()).length).toBeGreaterThan(5);
    await page.getByLabel("Run time").selectOption("10000");
    await page.getByText("No matching calls").waitFor();
    await expect.poll(() => page.url()).toContain("slower=10000");
    await page.getByRole("button", { name: "Saved filters" }).click();
    await page.getByRole("menuitem", { name: "Save this filter…" }).click();
    await page.getByLabel("Name").fill("<b>slow</b>");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.goto(`${gateway.url}/#/live`);
    await eventually(async () => (await tools()).length).toBeGreaterThan(5);
    await page.getByRole("button", { name: "Saved filters" }).click();
    await page.getByRole("menuitemradio", { name: "<b>slow</b>" }).click();
    await page.getByText("No matching calls").waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.getByRole("button", { name: "Saved filters: <b>slow</b>" }).click();
    await page.getByRole("menuitem", { name: /Delete/ }).click();
  });

  test("is exported as CSV and as JSON lines, with the filter that is set", async () => {
    await page.goto(`${gateway.url}/#/live?agent=clerk`);
    await eventually(async () => (await tools()).length).toBe(5);
    const saved = async (format: string) => {
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export calls" }).click();
      await page.getByRole("menuitem", { name: format }).click();
      return readFile(await (await download).path(), "utf8");
    };
    const lines = (await saved("JSON lines")).trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { tool: string }).tool)).toEqual(await tools());
    const [header = "", ...rows] = (await saved("CSV")).trim().split("\n");
    expect([header.split(",").slice(0, 4), rows.length]).toEqual([["at", "id", "server", "tool"], 5]);
  });
});

describe("a thousand calls a second", () => {
  test("leave the page responsive, with a bounded list and a note about hidden calls", async () => {
    await page.goto(`${gateway.url}/#/live`);
    await page.evaluate(`
      globalThis.taken = [];
      new PerformanceObserver((list) => {
        for (const { duration, interactionId } of list.getEntries()) if (interactionId > 0) taken.push(duration);
      }).observe({ type: "event", durationThreshold: 16 });
    `);
    const stop = flood();
    const work = await mainThread();
    let share: number;
    let made: number;
    try {
      await page.getByText(/calls are not shown/).waitFor();
      await eventually(() => page.locator("tbody tr").count()).toBe(100);
      for (let round = 0; round < (process.env["BIPLANE_SOAK"] ? 10 : 2); round++) await playWithIt();
      expect(await page.locator("tbody tr").count()).toBeLessThanOrEqual(100);
    } finally {
      share = await work();
      made = stop();
    }
    await page.getByRole("button", { name: "Load older calls" }).click();
    await eventually(() => page.locator("tbody tr").count()).toBe(200);
    const taken = (await page.evaluate<number[]>("taken")).sort((one, other) => one - other);
    const median = taken[Math.floor(taken.length / 2)] ?? 16;
    console.log(
      `live view: ${made} calls; the page worked ${Math.round(share * 100)} % of the time; ` +
        `of the interactions above 16 ms half took ${median} ms, the slowest ${taken.at(-1) ?? 16} ms`,
    );
  });
});

test("the call that was pressed opens, even if new ones moved its row away before the release", async () => {
  await using other = await lookAt(browser, gateway, { hash: "#/live" });
  const row = other.page.locator("tbody tr").first();
  const id = (await row.getAttribute("data-id")) ?? "";
  const { x = 0, y = 0, height = 0 } = (await row.boundingBox()) ?? {};
  await other.page.mouse.move(x + 200, y + height / 2);
  await other.page.mouse.down();
  await callAs("clerk", gateway.shop, { tool: "get_customer", input: { customerId: "ada" } });
  await eventually(() => row.getAttribute("data-id")).not.toBe(id);
  await other.page.mouse.up();
  await eventually(async () => other.page.url()).toContain(`#/live/${encodeURIComponent(id)}`);
  expect(other.problems).toEqual([]);
});

test("nothing on the way was forbidden, failed, or asked for elsewhere", () => {
  expect(problemsOf(look)).toEqual([]);
});

/** Calls until it is stopped; gives how many. */
function flood(): () => number {
  let made = 0;
  const refund = { tool: "refund", input: { customerId: "ada", amount: 5000 } };
  const since = performance.now();
  const calls = setInterval(() => {
    // A machine that cannot make as many makes fewer, and none of them later.
    const due = Math.min(performance.now() - since, made + 50);
    for (; made < due; made++)
      void callAs(`agent-${made % 50}`, gateway.shop, made % 9 === 0 ? refund : { tool: "turn" });
  }, 10);
  return () => {
    clearInterval(calls);
    return made;
  };
}

/** Everything that one does in the view: pause, filter, open, move, close. */
async function playWithIt(): Promise<void> {
  await page.keyboard.press("Space");
  await page.getByText("paused", { exact: true }).waitFor();
  await page.keyboard.press("Space");
  await page.getByRole("searchbox", { name: "Agent" }).pressSequentially("agent-7");
  await eventually(() => page.locator("tbody tr").first().innerText()).toContain("agent-7");
  await page.getByRole("button", { name: "Clear" }).click();
  await page.locator(".row-link").first().click();
  await page.getByText("Timeline").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Escape");
  await eventually(() => page.getByRole("complementary").count()).toBe(0);
}

/** How much of the time the page's own thread has been at work, of the processor's time and not of the clock's. */
async function mainThread(): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const worked = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
  };
  const [before, since] = [await worked(), performance.now()];
  return async () => ((await worked()) - before) / ((performance.now() - since) / 1000);
}

const tools = (): Promise<readonly string[]> => page.locator("tbody .row-link").allInnerTexts();
