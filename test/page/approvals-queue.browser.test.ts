import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { queryAudit } from "../../packages/biplane/src/governance/audit/query.ts";
import { openChromium } from "../support/chromium.ts";
import { accessibilityProblems, lookAt } from "../support/page.ts";
import { bob, button, callRow, openCall, openShopGateway, problemsEverywhere, said } from "./approvals-server.ts";
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

describe("the queue", () => {
  test("calls of one piece of code stand together, are answered together, and the code goes on", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    await gateway.refund(50, "somebody else");
    const code = `return (await Promise.all([51, 52, 53].map((amount) => refund({ amount, to: "code" })))).map((r) => r.refunded)`;
    const ran = gateway.shop.call("run_code", { code });
    const batch = page.getByRole("region", { name: "3 calls from one code run" });
    await batch.waitFor();
    await batch.getByRole("checkbox", { name: "3 calls from one code run" }).check();
    await page.getByText("3 of 4 selected").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page
      .getByRole("region", { name: "Selection" })
      .getByRole("button", { name: /^Approve once/ })
      .click();
    await said(page, "Approved 3 calls once");
    expect(await ran).toMatchObject({ result: [51, 52, 53] });
    expect(gateway.refunds.filter((each) => JSON.stringify(each).includes('"code"'))).toHaveLength(3);
    await callRow(page, "May 50 go back to somebody else?").waitFor();
    await expect.poll(() => page.locator("[data-approval]").count()).toBe(1);
    await gateway.rejectAll();
  });

  test("a destructive one is marked, also in a selection", async () => {
    await gateway.refund(56);
    await gateway.execute("erase", { account: "C-1" });
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    await callRow(page, "Erase this account").getByText("destructive", { exact: true }).waitFor();
    await page.getByLabel("Select all 2").check();
    await page.getByRole("region", { name: "Selection" }).getByText("1 destructive").waitFor();
    await openCall(page, "Erase this account");
    await page.locator(".page-head").getByText("destructive", { exact: true }).waitFor();
    expect(look.problems).toEqual([]);
    await gateway.rejectAll();
  });

  test("one that is open brings those that came with it, to be approved with it", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    const code = `await Promise.all([54, 55].map((amount) => refund({ amount, to: "twins" })))`;
    const ran = gateway.shop.call("run_code", { code });
    await openCall(page, "May 54 go back to twins?");
    await page.getByRole("heading", { name: "1 other call from the same request" }).waitFor();
    await page.getByRole("link", { name: "May 55 go back to twins?" }).waitFor();
    await button(page, "Approve all 2 once").click();
    await said(page, "Approved 2 calls once");
    await ran;
    expect(gateway.refunds.filter((each) => JSON.stringify(each).includes("twins"))).toHaveLength(2);
  });

  test("keys go through the queue, and none answers what is neither open nor selected", async () => {
    for (const amount of [61, 62, 63]) await gateway.refund(amount);
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    await callRow(page, "May 63").waitFor();
    await page.keyboard.press("a");
    await said(page, "Nothing is selected");
    await page.keyboard.press("r");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    expect(await gateway.approvals.waiting()).toBe(3);
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.getByText("1 of 3 selected").waitFor();
    // A box that was ticked by hand keeps the focus: keys work there too.
    await callRow(page, "May 63").getByRole("checkbox").check();
    await page.keyboard.press("k");
    await page.keyboard.press("x");
    await page.getByText("1 of 3 selected").waitFor();
    await page.keyboard.press("a");
    await said(page, "Approved refund once");
    await expect.poll(() => gateway.approvals.waiting()).toBe(2);
    expect((await gateway.refund(63)).status).toBe(200);
    await page.getByRole("link", { name: "May 61 go back to ada?" }).click();
    await page.getByText("1 of 2").waitFor();
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "May 62 go back to ada?" }).waitFor();
    await page.getByText("2 of 2").waitFor();
    await page.keyboard.press("a");
    await page.keyboard.press("a");
    await page.getByText("The caller has not retried yet").waitFor();
    expect(await gateway.approvals.waiting()).toBe(1);
    expect((await gateway.refund(62)).status).toBe(200);
    await page.keyboard.press("Escape");
    await callRow(page, "May 61").waitFor();
    await gateway.rejectAll();
  });

  test("on a phone, the answers to selected calls are in a bar below the calls", async () => {
    for (const amount of [64, 65]) await gateway.refund(amount);
    await using look = await lookAt(browser, gateway, { hash: "#/approvals", width: 390, height: 844 });
    const { page } = look;
    await callRow(page, "May 65").waitFor();
    const bar = page.getByRole("group", { name: "Answer the selected calls" });
    expect(await bar.count()).toBe(0);
    await page.getByLabel("Select all 2").check();
    await bar.getByRole("button", { name: "Approve once" }).click();
    await said(page, "Approved 2 calls once");
    await bar.waitFor({ state: "detached" });
    expect(look.problems).toEqual([]);
  });

  test("what changed since the last approved call is shown, and the answered ones are found again", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    await gateway.refund(71, "ada");
    await openCall(page, "May 71 go back");
    await button(page, /^Approve once/).click();
    await said(page, "once");
    await gateway.refund(71, "ada");
    await gateway.refund(72, "ada");
    await gateway.refund(73, "mallory");
    await page.keyboard.press("Escape");
    await openCall(page, "May 72 go back");
    const diff = page.getByRole("region", { name: "Input diff against the last approved call" });
    await diff.locator(".diff-new").first().waitFor();
    await expect
      .poll(() => diff.locator(".diff-gone").allInnerTexts())
      .toEqual([expect.stringContaining('"amount": 71')]);
    await expect
      .poll(() => diff.locator(".diff-new").allInnerTexts())
      .toEqual([expect.stringContaining('"amount": 72')]);
    await page.keyboard.press("Escape");
    await openCall(page, "May 73 go back");
    // Nothing is equal, so that a diff would only repeat both inputs.
    await page.getByRole("heading", { name: "Last approved call", exact: true }).waitFor();
    expect(await diff.count()).toBe(0);
    await page.getByRole("radio", { name: "Raw" }).check({ force: true });
    await expect.poll(() => page.getByRole("region", { name: "Raw input" }).innerText()).toContain('"to": "mallory"');
    await page.getByRole("link", { name: "Approvals", exact: true }).last().click();
    await page.getByRole("tab", { name: "Answered" }).click();
    await page.getByLabel("Status").selectOption("used");
    await expect.poll(() => page.url()).toContain("status=used");
    const ran = page.getByRole("row").filter({ hasText: "May 71 go back" });
    await ran.getByRole("link").click();
    await page.getByText(/^The call ran in [\d.]+ [mµ]s/).waitFor();
    await page.getByRole("heading", { name: "Output of refund" }).waitFor();
    await page.locator(".approvals-inputs").getByText("refunded").waitFor();
    const [line] = await queryAudit(gateway.store, { tool: "refund", decision: "approved", limit: 1 });
    const inAudit = page.getByRole("link", { name: "Open the call in the audit log" });
    await expect.poll(() => inAudit.getAttribute("href")).toBe(`#/audit/${line?.sequence}`);
    await page.getByRole("heading", { name: "Calls of this caller before this one" }).waitFor();
    await page.goBack();
    await page.getByRole("row").filter({ hasText: "May 71 go back" }).waitFor();
    expect(await page.getByRole("row").filter({ hasText: "rejected" }).count()).toBe(0);
    await page.getByPlaceholder("Tool").fill("send_letter");
    await page.getByText("No matching approvals").waitFor();
    await button(page, "Clear").click();
    await page.getByRole("row").filter({ hasText: "May 50 go back" }).getByText("rejected").waitFor();
    expect(await page.getByRole("row").filter({ hasText: "May 72 go back" }).count()).toBe(0);
    await gateway.rejectAll();
  });

  test("hostile questions and inputs are text, whole and marked, and nothing of them runs", async () => {
    const text =
      '<img src=x onerror="globalThis.hit=1"><script>globalThis.hit=1</script> \u202Egnp.exe\u202C \u001b[2J\u0007';
    await gateway.execute("send_letter", { to: "</textarea><b>you</b>", text });
    await gateway.execute("refund", { amount: 81, to: "x".repeat(60_000), note: { __proto__x: text, deep: deep(60) } });
    await using look = await lookAt(browser, gateway, { hash: "#/approvals", width: 390, height: 844 });
    const { page } = look;
    await page.getByText("<b>you</b>").first().waitFor();
    await expect.poll(() => page.locator(".approvals-queue").innerText()).toContain("RLO");
    expect(await page.locator(".approvals-queue b, .approvals-queue img").count()).toBe(0);
    for (const question of ["Send this to", "May 81 go back"]) {
      await callRow(page, question).getByRole("link").first().click();
      await page.getByRole("heading", { name: "Your decision" }).waitFor();
      expect(await page.locator("main img, main script, main b").count()).toBe(0);
      expect(await page.evaluate("document.querySelector('main').scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      if (question === "May 81 go back") await button(page, "Show the rest").first().click();
      await button(page, "Approve by pattern…").click();
      await page.getByRole("dialog").waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await button(page, "Cancel").click();
      await page.keyboard.press("Escape");
    }
    expect(await page.evaluate("globalThis.hit")).toBeUndefined();
    expect(look.problems).toEqual([]);
    await gateway.rejectAll();
  });

  test("is accessible in light and dark, on a wide and on a narrow screen", async () => {
    await gateway.refund(91, "ada", { because: "it broke" });
    await gateway.refund(92, "ada");
    await gateway.refund(93, "ada");
    const [newest] = await gateway.approvals.list();
    await gateway.approvals.answer([newest?.id ?? ""], { verdict: "approve", scope: { kind: "always" } }, bob);
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    await callRow(page, "May 92").getByRole("checkbox").check();
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.getByRole("link", { name: "May 91 go back to ada?" }).click();
    await page.getByRole("heading", { name: "Request" }).waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    for (const tab of ["answered", "grants"]) {
      await page.goto(`${gateway.url}/#/approvals?tab=${tab}`);
      await page.getByRole("row").nth(1).waitFor();
      expect(await problemsEverywhere(page)).toEqual([]);
    }
    expect(look.problems).toEqual([]);
    await gateway.rejectAll();
  });

  test("explains to a person without the scope what is missing", async () => {
    await gateway.people.add({ name: "cyd", passphrase: "correct horse battery staple", scopes: ["calls"] });
    await using look = await lookAt(browser, gateway, { hash: "#/approvals", as: "cyd" });
    await look.page.getByText("You do not have access to Approvals").waitFor();
    expect(await look.page.locator("[data-approval]").count()).toBe(0);
  });
});

function deep(levels: number): unknown {
  return levels === 0 ? "end" : { inner: deep(levels - 1) };
}
