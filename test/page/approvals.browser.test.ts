import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openChromium } from "../support/chromium.ts";
import { accessibilityProblems, lookAt } from "../support/page.ts";
import { bob, button, openCall, openShopGateway, said } from "./approvals-server.ts";
import type { ShopGateway } from "./approvals-server.ts";

let browser: Browser;
let gateway: ShopGateway;

beforeAll(async () => {
  browser = await openChromium();
  gateway = await openShopGateway({ scripts: { hello: 'def main(name = "you"):\n    return "hello " + name\n' } });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

describe("an answer", () => {
  test("a call shows up as it is made, is approved once, and goes through exactly once", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    await page.getByText("No calls are waiting").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect((await gateway.refund(11)).status).toBe(202);
    await openCall(page, "May 11 go back to ada?");
    await page.getByText("anonymous 127.0.0.1").first().waitFor();
    await button(page, /^Approve once/).click();
    await said(page, "Approved refund once");
    await page.getByText("The caller has not retried yet").waitFor();
    expect(gateway.refunds).toEqual([]);
    expect(await gateway.refund(11)).toMatchObject({ status: 200, json: { result: { refunded: 11 } } });
    expect((await gateway.refund(11)).status).toBe(202);
    expect(gateway.refunds).toEqual([{ amount: 11, to: "ada" }]);
    await gateway.rejectAll();
    expect(look.problems).toEqual([]);
  });

  test("a waiting call continues by itself, and another person's answer is shown at once", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    const done = gateway.shop.call("refund", { amount: 12, to: "ada" });
    await openCall(page, "May 12 go back to ada?");
    await button(page, /^Approve once/).click();
    expect(await done).toEqual({ refunded: 12 });
    await page.getByRole("link", { name: "Approvals", exact: true }).last().click();
    const other = gateway.shop.call("refund", { amount: 13, to: "ada" }).catch(String);
    await openCall(page, "May 13 go back to ada?");
    const [waiting] = await gateway.approvals.list({ status: "waiting" });
    await gateway.approvals.answer([waiting?.id ?? ""], { verdict: "reject", reason: "bob was quicker" }, bob);
    expect(await other).toContain("bob was quicker");
    await page.getByText("“bob was quicker”").waitFor();
    expect(await button(page, /^Approve once/).count()).toBe(0);
    await page.keyboard.press("a");
    await expect.poll(() => page.locator(".toast").filter({ hasText: "once" }).count()).toBe(1);
  });

  test("on a phone, a bar has the usual answers, and approves only what was read to its end", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/approvals", width: 390, height: 844 });
    const { page } = look;
    await gateway.refund(14, "ada", { lines: Array.from({ length: 80 }, (_, at) => `line ${at}`) });
    await openCall(page, "May 14 go back to ada?");
    const bar = page.getByRole("group", { name: "Answer" });
    const approve = bar.getByRole("button", { name: "Approve once" });
    await bar.getByRole("button", { name: "Show the rest" }).waitFor();
    await expect.poll(() => approve.isDisabled()).toBe(true);
    await bar.getByRole("button", { name: "Show the rest" }).click();
    await approve.click();
    await said(page, "Approved refund once");
    await bar.waitFor({ state: "detached" });
    await page.getByText("Fingerprint", { exact: true }).waitFor();
    const top = async (name: string) => (await page.getByRole("heading", { name }).boundingBox())?.y ?? 0;
    await expect.poll(async () => (await top("Input of refund")) - (await top("Decision"))).toBeGreaterThan(0);
    await gateway.rejectAll();
    expect(look.problems).toEqual([]);
  });

  test("always is for the same input, is listed among the standing approvals, and can be revoked", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    await gateway.refund(21);
    await openCall(page, "May 21 go back");
    await button(page, "Always for this caller").click();
    await said(page, "Approved refund always, for this caller");
    expect([
      (await gateway.refund(21)).status,
      (await gateway.refund(21)).status,
      (await gateway.refund(22)).status,
    ]).toEqual([200, 200, 202]);
    await page.getByRole("link", { name: "until it is revoked" }).click();
    const grant = page.getByRole("row").filter({ hasText: "exact input" });
    await grant.getByText("amount: 21, to: ada", { exact: true }).waitFor();
    await grant.getByRole("button", { name: /^refund exact input/ }).click();
    const drawer = page.getByRole("dialog", { name: "Standing approval" });
    await drawer.getByText("ada", { exact: true }).first().waitFor();
    await drawer.getByText("amount").waitFor();
    await expect.poll(() => drawer.innerText()).toMatch(/Input[^]*amount[^]*21[^]*to[^]*ada/);
    const used = drawer.getByRole("link", { name: "Approved calls in the audit log" });
    await expect
      .poll(() => used.getAttribute("href"))
      .toMatch(/^#\/audit\?tool=refund&principal=127.0.0.1&decision=approved$/);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Close" }).click();
    await grant.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("No standing approvals").waitFor();
    expect(await page.getByRole("searchbox").count()).toBe(0);
    expect((await gateway.refund(21)).status).toBe(202);
    expect(await gateway.approvals.grants()).toEqual([]);
    await gateway.rejectAll();
  });

  test("a pattern begins with the input, says what it will cover, and covers that and no more", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    await gateway.refund(31, "ada@example.com", { order: "A.1", items: ["cup", "lid"] });
    await openCall(page, "May 31 go back");
    await button(page, "Approve by pattern…").click();
    const dialog = page.getByRole("dialog", { name: "Approve by pattern" });
    const sentence = dialog.getByRole("status", { name: "Covered calls" });
    await expect
      .poll(() => sentence.innerText())
      .toContain('calls to refund where amount is 31 and to is "ada@example.com"');
    await dialog.getByLabel("Condition for amount").selectOption({ label: "is at most" });
    await dialog.getByLabel("Value for amount").fill("a lot");
    await dialog.getByText("Enter a number.").waitFor();
    await expect.poll(() => dialog.getByRole("button", { name: "Approve matching calls" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Value for amount").fill("100");
    await dialog.getByLabel("Condition for to").selectOption({ label: "is like" });
    await dialog.getByLabel("Value for to").fill("*@example.com");
    await dialog.getByLabel("Condition for note.order").selectOption({ label: "any value" });
    await expect
      .poll(() => sentence.innerText())
      .toMatch(
        /amount is at most 100 and to is like "\*@example.com" and note.items is a list whose items are each one of cup, lid, with any other arguments. Applies to anonymous 127.0.0.1/,
      );
    await dialog.getByRole("radio", { name: "For everyone" }).check({ force: true });
    await expect.poll(() => sentence.innerText()).toContain("Applies to every caller");
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Approve matching calls" }).click();
    await said(page, "Approved refund by pattern, for everyone");
    const items = { items: ["lid"] };
    expect((await gateway.refund(99, "bob@example.com", items)).status).toBe(200);
    expect((await gateway.refund(101, "bob@example.com", items)).status).toBe(202);
    expect((await gateway.refund(99, "bob@example.org", items)).status).toBe(202);
    expect((await gateway.refund(99, "bob@example.com", { items: ["pot"] })).status).toBe(202);
    expect((await gateway.approvals.grants()).map(({ pattern, principal }) => [pattern, principal])).toEqual([
      [
        {
          tool: "refund",
          arguments: {
            amount: { max: 100 },
            to: { like: "*@example.com" },
            "note.items": { each: { in: ["cup", "lid"] } },
          },
        },
        undefined,
      ],
    ]);
    for (const { id } of await gateway.approvals.grants()) await gateway.approvals.revoke(id, bob);
    await gateway.rejectAll();
  });

  test("a pattern can be written as JSON, and one that cannot be read is refused with the reason", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    await gateway.refund(32);
    await openCall(page, "May 32 go back");
    await button(page, "Approve by pattern…").click();
    const dialog = page.getByRole("dialog", { name: "Approve by pattern" });
    await dialog.getByRole("radio", { name: "JSON" }).check({ force: true });
    const approve = dialog.getByRole("button", { name: "Approve matching calls" });
    expect(JSON.parse(await dialog.getByLabel("Pattern").inputValue())).toEqual({
      tool: "refund",
      arguments: { amount: 32, to: "ada" },
    });
    await dialog.getByLabel("Pattern").fill("{");
    await expect.poll(() => approve.isDisabled()).toBe(true);
    await dialog.getByLabel("Pattern").fill('{ "arguments": { "amount": { "maxx": 5 } } }');
    await approve.click();
    await dialog.getByText(/did you mean max/).waitFor();
    await dialog.getByLabel("Pattern").fill('{ "arguments": { "amount": { "min": 30, "max": 40 } } }');
    await approve.click();
    await said(page, "by pattern, for this caller");
    expect((await gateway.refund(35, "anybody")).status).toBe(200);
    for (const { id } of await gateway.approvals.grants()) await gateway.approvals.revoke(id, bob);
    await gateway.rejectAll();
  });

  test("a rejection needs a reason, which the caller gets", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    await gateway.refund(41);
    await openCall(page, "May 41 go back");
    await page.keyboard.press("r");
    const dialog = page.getByRole("dialog", { name: "Reject the call" });
    const reject = dialog.getByRole("button", { name: "Reject", exact: true });
    await expect.poll(() => reject.isDisabled()).toBe(true);
    await dialog.getByLabel("Reason").fill("ask accounting first");
    await reject.click();
    await said(page, "Rejected refund");
    await page.getByText("“ask accounting first”").waitFor();
    const told = await gateway.refund(41);
    expect([told.status, JSON.stringify(told.json)]).toEqual([
      403,
      expect.stringContaining("ask accounting first") as string,
    ]);
    expect(gateway.refunds).not.toContainEqual({ amount: 41, to: "ada" });
  });

  test("a script that asks is shown with its source, leads to Scripts, and takes no pattern", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/approvals" });
    const { page } = look;
    expect((await gateway.execute("script_run", { name: "hello" })).status).toBe(202);
    await openCall(page, "hello.star");
    await page.getByRole("region", { name: "Script source" }).getByText("def").waitFor();
    expect(await button(page, "Approve by pattern…").count()).toBe(0);
    await button(page, "Always for everyone").click();
    await said(page, "Approved script_run always, for everyone");
    expect(await gateway.execute("script_run", { name: "hello" })).toMatchObject({
      json: { result: { value: "hello you" } },
    });
    await page.getByRole("link", { name: "Open in Scripts" }).click();
    await page.getByRole("heading", { name: "hello", exact: true }).waitFor();
    await page.getByText("approved", { exact: true }).first().waitFor();
  });
});
