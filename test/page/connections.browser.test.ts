import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openChromium } from "../support/chromium.ts";
import { lookAt } from "../support/page.ts";
import { openShopGateway, problemsEverywhere } from "./approvals-server.ts";
import type { ShopGateway } from "./approvals-server.ts";

let browser: Browser;
let gateway: ShopGateway;

beforeAll(async () => {
  browser = await openChromium();
  gateway = await openShopGateway();
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

/** Shakes hands and gives a way to see whether the session still holds. */
async function connect(name: string): Promise<() => Promise<number>> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const send = (body: object, more: Record<string, string> = {}) =>
    fetch(`${gateway.url}/mcp`, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) });
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name, version: "1" } };
  const response = await send({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const session = response.headers.get("mcp-session-id") ?? "";
  const own = { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" };
  return async () => (await send({ jsonrpc: "2.0", id: 2, method: "ping" }, own)).status;
}

describe("connections", () => {
  test("come and go on the page, and one is ended after a question", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/connections" });
    const { page } = look;
    await page.getByText("No agent has called yet").waitFor();
    const ping = await connect("an <i>editor</i> \u202Erotide");
    const other = await connect("another");
    const row = page.getByRole("row").filter({ hasText: "an <i>editor</i>" });
    await row.waitFor();
    await row.getByText("RLO").waitFor();
    expect(await page.locator("main i").count()).toBe(0);
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.getByLabel("Search agent or caller").fill("editor");
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
    await row.getByRole("button", { name: "End…" }).click();
    await page.getByRole("dialog").getByText("an <i>editor</i>").waitFor();
    expect(await ping()).toBe(200);
    await page.getByRole("dialog").getByRole("button", { name: "End session" }).click();
    await page.locator(".toast").filter({ hasText: "The client must reconnect." }).waitFor();
    await page.getByText("No matching sessions").waitFor();
    expect([await ping(), await other()]).toEqual([404, 200]);
    expect(look.problems).toEqual([]);
  });

  test("of agents without a session leave space for their names, and do not repeat the only server", async () => {
    await gateway.refund(3);
    await using look = await lookAt(browser, gateway, { hash: "#/connections" });
    const { page } = look;
    const table = page.getByRole("table", { name: "Agents without a session" });
    const heading = (name: string) => table.getByRole("columnheader", { name, exact: true });
    for (const width of [1000, 1280, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => heading("Server").count(), { message: `${width} px` }).toBe(0);
      expect((await heading("Agent").boundingBox())?.width, `${width} px`).toBeGreaterThan(150);
    }
    await page.getByText("Counted since the server started").waitFor();
    await page.getByRole("button", { name: "Connect a client" }).click();
    await page.getByRole("heading", { name: "Connect a client" }).waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.getByRole("button", { name: "Hide these instructions" }).click();
    await page.getByRole("button", { name: "Connect a client" }).waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await gateway.rejectAll();
  });

  test("one's own logins end everywhere, here too", async () => {
    await using elsewhere = await lookAt(browser, gateway, { hash: "#/secrets" });
    await using look = await lookAt(browser, gateway, { hash: "#/settings/account" });
    const { page } = look;
    await page.getByRole("heading", { name: "This session", exact: true }).waitFor();
    await page.getByRole("button", { name: "Sign out everywhere…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByLabel("Passphrase", { exact: true }).waitFor();
    await elsewhere.page.reload();
    await elsewhere.page.getByLabel("Passphrase", { exact: true }).waitFor();
    expect(look.problems).toEqual([]);
  });
});
