import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, server, tool } from "biplane";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { openChromium } from "../support/chromium.ts";
import { accessibilityProblems, lookAt, openPageGateway, passphrase } from "../support/page.ts";
import type { PageGateway } from "../support/page.ts";
import { playLake } from "./run-data.ts";

let browser: Browser;
let gateway: PageGateway;
let pages: readonly string[];

beforeAll(async () => {
  browser = await openChromium();
  gateway = await openPageGateway({ served: [shop(), frozenLake()], storesCalls: true });
  await gateway.people.add({ name: "vera", passphrase, role: "viewer" });
  await playLake(gateway.store);
  const body = JSON.stringify({ tool: "refund", arguments: { amount: 5 } });
  await fetch(`${gateway.url}/mcp/execute`, { method: "POST", body });
  const [approval] = await gateway.approvals.list({ status: "waiting" });
  await using ada = await lookAt(browser, gateway);
  const episode = await ada.page.request.post(`${gateway.url}/api/episodes`, {
    headers: ada.headers,
    data: { server: "frozen-lake", seed: 1 },
  });
  const traces = await ada.page.request.get(`${gateway.url}/api/runs/scripted-lake/traces`, { headers: ada.headers });
  const [trace] = ((await traces.json()) as { traces: readonly { id: string }[] }).traces;
  const { id } = (await episode.json()) as { id: string };
  pages = [
    "overview",
    "tools",
    "tools/shop/refund",
    "tools/frozen-lake/lake_move",
    "live",
    "approvals",
    `approvals/${approval?.id ?? "missing"}`,
    "approvals?tab=answered",
    "approvals?tab=grants",
    "approvals?tab=notifications",
    "episodes",
    `episodes/${id}`,
    "runs",
    "runs/scripted-lake",
    `runs/scripted-lake/${trace?.id ?? "missing"}`,
    "connections",
    "settings",
  ];
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

test("a viewer meets no error and no button that is refused, in any view", async () => {
  await using look = await lookAt(browser, gateway, { as: "vera" });
  const { page } = look;
  const refused: string[] = [];
  page.on("response", (response) => {
    if (response.status() === 403) refused.push(`${page.url()}: ${response.request().method()} ${response.url()}`);
  });
  for (const path of pages) {
    await page.goto(`${gateway.url}/#/${path}`);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await expect.poll(() => page.locator(".loading").count()).toBe(0);
    expect([path, await page.locator(".problem").allInnerTexts()]).toEqual([path, []]);
    expect([path, await accessibilityProblems(page)]).toEqual([path, []]);
    for (const key of ["x", "a", "r", "Escape"]) await page.keyboard.press(key);
    for (let pass = 0; pass < 2; pass++)
      await page
        .locator("main button:enabled, dialog button:enabled")
        // Ends the viewer's own session too.
        .filter({ hasNotText: /session|sign out/i })
        .evaluateAll((buttons) => buttons.forEach((each) => (each as HTMLButtonElement).click()));
    await expect.poll(() => page.locator(".loading").count()).toBe(0);
    expect([path, await page.locator(".problem").allInnerTexts()]).toEqual([path, []]);
  }
  expect(refused).toEqual([]);
  expect(look.problems).toEqual([]);
});

test("a viewer reads why something cannot be done", async () => {
  await using look = await lookAt(browser, gateway, { as: "vera", hash: "#/tools/shop/refund" });
  const { page } = look;
  await page.getByText("Calling this tool needs the scope tools").waitFor();
  await page.goto(`${gateway.url}/#/approvals`);
  await page.getByRole("link", { name: "Refund 5?", exact: true }).click();
  await page.getByText("Answering calls needs the scope approvals").waitFor();
  expect(look.problems).toEqual([]);
});

function shop() {
  return server({
    name: "shop",
    version: "1",
    tools: [
      tool({
        name: "refund",
        description: "Refunds an order",
        input: { type: "object", properties: { amount: { type: "number" } } },
        run: () => "done",
      }),
    ],
    policies: [(_, __, input) => ask(`Refund ${String((input as { amount: number }).amount)}?`)],
  });
}
