import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openChromium } from "../support/chromium.ts";
import { lookAt, passphrase } from "../support/page.ts";
import { bob, button, callRow, openCall, openShopGateway, problemsEverywhere, said } from "./approvals-server.ts";
import type { ShopGateway } from "./approvals-server.ts";

let browser: Browser;
let gateway: ShopGateway;

beforeAll(async () => {
  browser = await openChromium();
  gateway = await openShopGateway();
  await gateway.people.add({ name: "grace", passphrase });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

const hostile = '<img src=x onerror="globalThis.hit=1"> \u202Egnp.exe';

describe("the card of a waiting call", () => {
  test("approves and rejects in place, and shows the rule and the deadline", async () => {
    for (const amount of [11, 12]) await gateway.refund(amount);
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    const card = callRow(page, "May 11 go back");
    await card.getByText("refunds", { exact: true }).waitFor();
    await card.getByText(/\d+ (min|h) left/).waitFor();
    await card.getByRole("button", { name: /^Approve once/ }).click();
    await said(page, "Approved refund once");
    expect((await gateway.refund(11)).status).toBe(200);
    await callRow(page, "May 12")
      .getByRole("button", { name: /^Reject/ })
      .click();
    await page.getByLabel("Reason").fill(hostile);
    await page.getByRole("dialog").getByRole("button", { name: "Reject" }).click();
    await said(page, "Rejected refund");
    expect((await gateway.refund(12)).json).toMatchObject({ error: "APPROVAL_REJECTED" });
    await page.goto(`${gateway.url}/#/approvals?tab=answered`);
    await page.getByRole("link", { name: "May 12 go back to ada?" }).click();
    await page.getByText('<img src=x onerror="globalThis.hit=1">').last().waitFor();
    expect(await page.locator("main img").count()).toBe(0);
    expect(await page.evaluate("globalThis.hit")).toBeUndefined();
  });

  test("with more input than it shows is approved only after its input was read to the end", async () => {
    const lines = Array.from({ length: 120 }, (_, at) => `line ${at}`).join("\n");
    await gateway.refund(13, "ada", `${lines}\nand delete the account`);
    await gateway.refund(14);
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    const card = callRow(page, "May 13 go back");
    await card.getByText("Not everything is shown here. Open it to approve.").waitFor();
    expect(await card.getByRole("button", { name: /^Approve once/ }).count()).toBe(0);
    await page.getByLabel("Select all 2").check();
    await page.getByText("1 call is not shown in full. Open it to approve.").waitFor();
    await expect.poll(() => button(page, "Approve once a").isDisabled()).toBe(true);
    await page.keyboard.press("a");
    await said(page, "not shown in full");
    await card.getByRole("link", { name: /^Review/ }).click();
    await page.getByText("Not all of the input is on the screen").waitFor();
    expect(await page.locator(".json").getByText("and delete the account").count()).toBe(0);
    for (const name of [/^Approve once/, "Always for this caller", "Approve by pattern…"])
      await expect.poll(() => button(page, name).isDisabled()).toBe(true);
    await page.keyboard.press("a");
    await said(page, "Read the input to its end to approve");
    expect(await problemsEverywhere(page)).toEqual([]);
    await button(page, "Show the rest").first().click();
    await page.locator(".json").getByText("and delete the account").waitFor();
    await expect.poll(() => button(page, /^Approve once/).isEnabled()).toBe(true);
    await page.goto(`${gateway.url}/#/approvals`);
    await card.getByText("You have read it").waitFor();
    await card.getByRole("button", { name: /^Approve once/ }).click();
    await said(page, "Approved refund once");
    await gateway.rejectAll();
  });

  test("keeps a comment with the approval, and shows it as text", async () => {
    await gateway.refund(21);
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    await callRow(page, "May 21")
      .getByRole("button", { name: /^More for/ })
      .click();
    await page.getByRole("menuitem", { name: "Approve with a comment…" }).click();
    await page.getByLabel("Comment").fill(hostile);
    await page.getByRole("dialog").getByRole("button", { name: "Approve once" }).click();
    await said(page, "Approved refund once");
    const [answered] = await gateway.approvals.list({ tool: "refund", limit: 1 });
    expect(answered).toMatchObject({ status: "approved", answeredBy: "person ada", reason: hostile });
    await page.goto(`${gateway.url}/#/approvals/${answered?.id ?? ""}`);
    await page.getByText('<img src=x onerror="globalThis.hit=1">').last().waitFor();
    await page.getByText("RLO").last().waitFor();
    expect(await page.locator("main img").count()).toBe(0);
    await gateway.refund(21);
  });

  test("is grouped by tool, caller and rule", async () => {
    for (const amount of [31, 32, 2031]) await gateway.refund(amount);
    await gateway.execute("send_letter", { to: "ada", text: "hello" });
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    await callRow(page, "May 31").waitFor();
    const group = (name: string | RegExp) => page.getByRole("region", { name });
    await page.getByLabel("Group by").selectOption("rule");
    await group("2 calls asked by refunds").waitFor();
    await group("1 call asked by very large refunds").waitFor();
    await page.getByLabel("Group by").selectOption("tool");
    await group("3 calls of refund on shop").waitFor();
    await page.getByLabel("Group by").selectOption("caller");
    await group(/^4 calls from anonymous/).waitFor();
    await page.getByLabel("Group by").selectOption("tool");
    await group("3 calls of refund on shop").getByRole("checkbox").first().check();
    await page.getByText("3 of 4 selected").waitFor();
    await expect.poll(() => page.locator("[data-approval]").count()).toBe(4);
    await gateway.rejectAll();
  });

  test("is assigned to a person, who finds it under Mine", async () => {
    for (const amount of [41, 42]) await gateway.refund(amount);
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    await callRow(page, "May 41")
      .getByRole("button", { name: /^More for/ })
      .click();
    await page.getByRole("menuitem", { name: "Assign to me" }).click();
    await said(page, "Assigned to ada");
    await button(page, "Mine").click();
    await expect.poll(() => page.locator("[data-approval]").count()).toBe(1);
    await openCall(page, "May 41");
    await page.getByLabel("Assigned to").selectOption("grace");
    await said(page, "Assigned to grace");
    await expect.poll(async () => (await gateway.approvals.list({ assignee: "grace" })).length).toBe(1);
    await using other = await lookAt(browser, gateway, { hash: "#/approvals?mine=1", as: "grace" });
    await callRow(other.page, "May 41").waitFor();
    await expect.poll(() => other.page.locator("[data-approval]").count()).toBe(1);
    await gateway.rejectAll();
  });

  test("that needs two people counts one, refuses the same person, and runs after the second", async () => {
    await gateway.refund(1500);
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    const card = callRow(page, "May 1500");
    await card.getByText("needs 2 people").waitFor();
    await card.getByRole("button", { name: /^Approve \(1 of 2\)/ }).click();
    await card.getByText("1 of 2 approved").waitFor();
    expect((await gateway.refund(1500)).status).toBe(202);
    await card.getByRole("button", { name: /^Approve \(2 of 2\)/ }).click();
    await page.getByText(/You have approved .* already/).waitFor();
    await openCall(page, "May 1500");
    await page.getByText("2 different people must approve this call.").waitFor();
    expect(await button(page, "Always for everyone").count()).toBe(0);
    expect(await problemsEverywhere(page)).toEqual([]);
    await using other = await lookAt(browser, gateway, { hash: "#/approvals", as: "grace" });
    await callRow(other.page, "May 1500")
      .getByRole("button", { name: /^Approve \(2 of 2\)/ })
      .click();
    await said(other.page, "Approved");
    expect((await gateway.refund(1500)).status).toBe(200);
    expect((await gateway.approvals.list({ limit: 1 }))[0]).toMatchObject({
      status: "used",
      answeredBy: "person ada and person grace",
    });
  });

  test("opens with what the caller did before", async () => {
    for (const _ of [1, 2]) await gateway.execute("look", {});
    await gateway.refund(61);
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    await openCall(page, "May 61");
    await page.getByRole("heading", { name: "Last calls of this caller" }).waitFor();
    const before = page.locator(".approvals-recent");
    await before.getByRole("link", { name: "look" }).first().waitFor();
    await before.getByText("2 times").first().waitFor();
    await expect.poll(() => before.getByRole("listitem").first().innerText()).toContain("look");
    expect(await problemsEverywhere(page)).toEqual([]);
    await gateway.rejectAll();
  });

  test("shows a letter whole where it has the space, and elsewhere asks to read all of it", async () => {
    const lines = Array.from(
      { length: 12 },
      (_, at) => `Line ${at} of a letter that is longer than a small card can show.`,
    );
    await gateway.execute("send_letter", { to: "mallory", text: `${lines.join("\n")}\nThe end.` });
    await using look = await lookAt(browser, gateway, { hash: "#/approvals", width: 1280, height: 1080 });
    const { page } = look;
    await openCall(page, "mallory");
    const approve = page.getByRole("button", { name: "Approve once" });
    await page.getByText("Not all of the input is on the screen.").waitFor();
    expect(await approve.isDisabled()).toBe(true);
    await page.setViewportSize({ width: 1920, height: 1080 });
    await page.locator(".json-prose").getByText("The end.").waitFor();
    await expect.poll(() => approve.isEnabled()).toBe(true);
    expect(await page.getByText("Not all of the input is on the screen.").count()).toBe(0);
    await gateway.rejectAll();
  });
});

describe("people are notified", () => {
  test("by the number in the tab's title", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    await expect.poll(() => look.page.title()).toBe("Approvals · Biplane");
    await gateway.refund(71);
    await expect.poll(() => look.page.title()).toBe("(1) Approvals · Biplane");
    await gateway.rejectAll();
    await expect.poll(() => look.page.title()).toBe("Approvals · Biplane");
  });

  test("by the browser, once for each call, after they allowed it and while they look elsewhere", async () => {
    await using look = await lookAt(browser, gateway, { as: "ada" });
    const { page } = look;
    await page.context().grantPermissions(["notifications"], { origin: gateway.url });
    // What the browser would show. Headless browsers show nothing.
    await page.addInitScript(`
      globalThis.shown = [];
      globalThis.Notification = class extends EventTarget {
        static permission = "granted";
        static requestPermission = async () => "granted";
        constructor(title, { body }) { super(); shown.push(title + ": " + body); }
        close() {}
      };
      document.hasFocus = () => false;
    `);
    await page.goto(`${gateway.url}/#/approvals?again`);
    await page.reload();
    await gateway.refund(80, "before");
    await callRow(page, "May 80").waitFor();
    await button(page, "Notify me in this browser").click();
    await button(page, "Notifying in this browser").waitFor();
    await gateway.refund(81, hostile);
    await callRow(page, "May 81").waitFor();
    await expect
      .poll(() => page.evaluate("shown"))
      .toEqual([expect.stringMatching(/^Approval needed: refund: May 81/)]);
    expect(await page.evaluate("shown[0].includes('\\u202e')")).toBe(false);
    await button(page, "Notifying in this browser").click();
    await gateway.refund(82);
    await callRow(page, "May 82").waitFor();
    expect(await page.evaluate("shown.length")).toBe(1);
    await gateway.rejectAll();
  });

  test("by targets, which the page lists with their messages", async () => {
    await gateway.refund(91);
    await gateway.approvals.answer(
      [(await gateway.approvals.list({ status: "waiting" }))[0]?.id ?? ""],
      { verdict: "approve" },
      bob,
    );
    await gateway.refund(92);
    await gateway.store.db
      .updateTable("approvals")
      .set({ expires_at: Date.now() - 1 })
      .where("question", "like", "May 92%")
      .execute();
    await using look = await lookAt(browser, gateway, { hash: "#/approvals?tab=notifications" });
    const { page } = look;
    await page.getByRole("heading", { name: "Targets" }).waitFor();
    await page.getByRole("row").filter({ hasText: "https://hooks.example.com" }).getByText("one-time").waitFor();
    await button(page, "Send test to phone").click();
    await said(page, "Sent a test message to phone");
    await page.getByRole("row").filter({ hasText: "May 91 go back to ada?" }).getByText("not needed").waitFor();
    const expired = page.getByRole("row").filter({ hasText: "May 92 go back to ada?" });
    await expired.getByText("not sent", { exact: true }).waitFor();
    await expired.getByText("Expired without an answer.").waitFor();
    // The question has all of the input.
    expect(await expired.getByText("92, ada", { exact: true }).count()).toBe(0);
    await gateway.store.db
      .updateTable("notifications")
      .set({ status: "failed", error: "The webhook answered 503.", created_at: Date.now() + 1 })
      .where("target", "=", "phone")
      .execute();
    await page.reload();
    const last = page.getByRole("table", { name: "Last messages" });
    await last
      .getByText(/^(question|answer): HTTP 503(, 1 attempt)?$/)
      .filter({ visible: true })
      .first()
      .waitFor();
    await page.getByRole("radio", { name: "Failed" }).check({ force: true });
    await last.getByText("sent", { exact: true }).first().waitFor({ state: "detached" });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    const target = page.getByRole("table", { name: "Targets of notifications" }).getByRole("row", { name: /phone/ });
    await target
      .getByText(/^failing for \S+/)
      .filter({ visible: true })
      .waitFor();
    await target.getByText("https://hooks.example.com").filter({ visible: true }).waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    expect(look.problems).toEqual([]);
  });
});
