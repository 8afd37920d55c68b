import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { queryAudit } from "../../packages/biplane/src/governance/audit/query.ts";
import { openChromium } from "../support/chromium.ts";
import { lookAt } from "../support/page.ts";
import { openShopGateway, problemsEverywhere } from "./approvals-server.ts";
import type { ShopGateway } from "./approvals-server.ts";

const hostile = '<img src=x onerror="globalThis.hit=1"> \u202Eevil\u202C \u001b[31m';

let browser: Browser;
let gateway: ShopGateway;

beforeAll(async () => {
  browser = await openChromium();
  gateway = await openShopGateway();
  for (let at = 0; at < 130; at++) await gateway.execute("look", {});
  await gateway.execute("send_letter", { to: "you", text: hostile });
  await gateway.execute(hostile, { why: hostile });
  const [asked] = await gateway.approvals.list();
  const by = { kind: "person", id: "bob", scopes: ["*"] } as const;
  await gateway.approvals.answer([asked?.id ?? ""], { verdict: "approve" }, by);
  await gateway.execute("send_letter", { to: "you", text: hostile });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

describe("the audit log", () => {
  test("is read newest first, page by page, and each line opens with its input, decision and place", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/audit" });
    const { page } = look;
    const rows = page.getByRole("row");
    await rows.nth(1).waitFor();
    await expect.poll(() => rows.nth(1).innerText()).toContain("people/sign-in");
    await expect.poll(() => rows.count()).toBe(101);
    await page.getByRole("button", { name: "Load more" }).click();
    await expect.poll(() => rows.count()).toBeGreaterThan(130);
    const [line] = await queryAudit(gateway.store, { tool: "send_letter", limit: 1 });
    const sent = rows.filter({ hasText: "send_letter" }).first();
    // Below 1500 px, the input is beside the tool.
    await expect.poll(() => sent.getByRole("link").innerText()).toMatch(/^send_letter .*<img src=x/s);
    await sent.getByRole("link").click();
    const drawer = page.getByRole("dialog", { name: `Entry ${line?.sequence}` });
    await drawer.getByText("A policy asked, and the call was approved by person bob.").waitFor();
    await drawer.getByText(`${line?.hash.slice(0, 12)}…`).waitFor();
    await drawer.getByText(`${line?.previous.slice(0, 12)}…`).waitFor();
    await expect.poll(() => drawer.innerText()).toContain("<img src=x");
    await expect.poll(() => drawer.innerText()).toContain("RLO");
    expect(await drawer.locator("img").count()).toBe(0);
    await drawer.getByRole("link", { name: "All entries of this tool" }).click();
    await expect.poll(() => page.url()).toMatch(/#\/audit\?tool=send_letter$/);
    await expect.poll(() => rows.count()).toBe(3);
    await rows.nth(1).getByRole("link").click();
    await drawer.waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    expect(look.problems).toEqual([]);
  });

  test("is filtered by tool, who and outcome in the address, and an address of one line leads to it", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/audit?outcome=TOOL_NOT_FOUND" });
    const { page } = look;
    const rows = page.getByRole("row");
    await rows.filter({ hasText: "<img src=x" }).waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    expect(await page.locator("main img").count()).toBe(0);
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.getByLabel("Outcome").selectOption("");
    await expect.poll(() => page.locator('datalist option[value="send_letter"]').count()).toBe(1);
    // Its name has invisible characters.
    expect(await page.locator('datalist option[value*="<img"]').count()).toBe(0);
    await page.getByPlaceholder("Caller").fill("bob");
    await expect.poll(() => page.url()).toContain("principal=bob");
    await rows.filter({ hasText: "approvals/answer" }).waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByPlaceholder("Tool").fill("nothing");
    await page.getByText("No matching entries").waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await page.goto(`${gateway.url}/#/audit/2`);
    await page.getByRole("dialog", { name: "Entry 2" }).getByText("look", { exact: true }).first().waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await page.goto(`${gateway.url}/#/audit/999999`);
    await page.getByText("This entry does not exist").waitFor();
    expect(await page.evaluate("globalThis.hit")).toBeUndefined();
    expect(look.problems).toEqual([]);
  });

  test("is verified in the page, and a line that was changed is found", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/audit" });
    const { page } = look;
    await page.getByText(/^\d+ entries$/).waitFor();
    await page.getByText("Not verified since the server started").waitFor();
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText(/entries verified\. None was changed/).waitFor();
    await page.getByText("Intact", { exact: true }).waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.keyboard.press("Escape");
    const [line] = await gateway.store.audit.read({ after: 4, limit: 1 });
    const change = (text: string) =>
      gateway.store.db.updateTable("audit").set({ line: text }).where("sequence", "=", 5).execute();
    await change((line?.line ?? "").replace('"done"', '"DONE"'));
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("The log was changed.").waitFor();
    await page.getByText(/The first 4 entries are right/).waitFor();
    await page.getByText("Changed after entry 4", { exact: true }).waitFor();
    await change(line?.line ?? "");
    expect(look.problems).toEqual([]);
  });

  test("is filtered by actions of people, and shows the exact time on a phone", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/audit" });
    const { page } = look;
    const rows = page.getByRole("row");
    await rows.filter({ hasText: "look" }).first().waitFor();
    await page.getByLabel("Entries", { exact: true }).selectOption("people");
    await expect.poll(() => page.url()).toContain("by=people");
    await expect.poll(() => rows.filter({ hasText: "look" }).count()).toBe(0);
    await rows.filter({ hasText: "approvals/answer" }).first().waitFor();
    expect(await page.locator("tbody").innerText()).not.toContain("by a person");
    await page.setViewportSize({ width: 390, height: 800 });
    // The day is above the entries, so that the time fits in every row.
    await page
      .getByRole("heading", { level: 2, name: /^\d+ \w+$/ })
      .first()
      .waitFor();
    await expect.poll(() => page.locator(".audit-under").first().innerText()).toMatch(/^\d\d:\d\d:\d\d · /);
    expect(look.problems).toEqual([]);
  });

  test("has all filters on one line at 1280 px", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/audit?tool=refund" });
    const { page } = look;
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("button", { name: "Clear filters" }).waitFor();
    const heights = await page.evaluate<number[]>(
      `[...document.querySelectorAll(".audit-filters :is(.control, .button)")].map((each) => each.getBoundingClientRect().top)`,
    );
    expect(heights).toHaveLength(8);
    expect(Math.max(...heights) - Math.min(...heights)).toBeLessThan(4);
    expect(look.problems).toEqual([]);
  });

  test("names the rules that decided", async () => {
    await gateway.refund(7);
    await using look = await lookAt(browser, gateway, { hash: "#/audit?tool=refund" });
    const { page } = look;
    const row = page.getByRole("row").filter({ hasText: "refund" });
    await row.getByText("refunds", { exact: true }).waitFor();
    await row.getByRole("link").click();
    await page.getByRole("dialog").getByText("refunds", { exact: true }).waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await gateway.rejectAll();
  });

  test("shows the verdict in the row, and is filtered by verdict and day, and exported", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/audit?decision=approved" });
    const { page } = look;
    const rows = page.getByRole("row");
    await rows.filter({ hasText: "send_letter" }).getByText("approved, done", { exact: true }).waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export entries" }).click();
    await page.getByRole("menuitem", { name: "JSON lines" }).click();
    const exported = await readFile(await (await download).path(), "utf8");
    expect(JSON.parse(exported.trim())).toMatchObject({ tool: "send_letter", decision: "approved" });
    await page.getByLabel("Decision").selectOption("");
    await page.getByLabel("to", { exact: true }).fill("2020-01-01");
    await page.getByText("No matching entries").waitFor();
    await page.getByLabel("to", { exact: true }).fill("");
    await page.getByLabel("From", { exact: true }).fill(new Date().toISOString().slice(0, 10));
    await expect.poll(() => rows.count()).toBeGreaterThan(100);
    expect(look.problems).toEqual([]);
  });
});
