import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openChromium } from "../support/chromium.ts";
import { accessibilityProblems, lookAt } from "../support/page.ts";
import { openShopHouse, problemsEverywhere } from "./approvals-house.ts";
import type { ShopHouse } from "./approvals-house.ts";

let browser: Browser;
let house: ShopHouse;

beforeAll(async () => {
  browser = await openChromium();
  house = await openShopHouse({ scripts: { hello: 'def main(name = "you"):\n    return "hello " + name\n' } });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await house?.[Symbol.asyncDispose]();
});

const person = { kind: "person", id: "bob", scopes: ["*"] } as const;

const said = (page: Page, text: string | RegExp) => page.locator(".toast").filter({ hasText: text }).waitFor();
const row = (page: Page, text: string) => page.locator("[data-approval]").filter({ hasText: text });
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

async function refund(amount: number, to: unknown = "ada", note?: unknown) {
  return house.execute("refund", { amount, to, ...(note !== undefined && { note }) });
}

/** Makes a call that waits, and opens it on the page. */
async function opened(page: Page, question: string): Promise<void> {
  await row(page, question).getByRole("link").click();
  await page.getByRole("heading", { name: "Your answer" }).waitFor();
}

async function rejectAllThatWait(): Promise<void> {
  const ids = (await house.approvals.list({ status: "waiting" })).map(({ id }) => id);
  if (ids.length > 0) await house.approvals.answer(ids, { verdict: "reject", reason: "the test is over" }, person);
}

describe("approvals", () => {
  test("a call shows up as it is made, is approved once, and goes through exactly once", async () => {
    await using look = await lookAt(browser, house, { hash: "#/approvals" });
    const { page } = look;
    await page.getByText("Nothing waits").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect((await refund(11)).status).toBe(202);
    await opened(page, "May 11 go back to ada?");
    await page.getByText("anonymous 127.0.0.1").first().waitFor();
    await button(page, /^Approve once/).click();
    await said(page, "Approved refund once");
    await page.getByText("The caller has not come back for it yet").waitFor();
    expect(house.refunds).toEqual([]);
    expect(await refund(11)).toMatchObject({ status: 200, json: { result: { refunded: 11 } } });
    expect((await refund(11)).status).toBe(202);
    expect(house.refunds).toEqual([{ amount: 11, to: "ada" }]);
    await rejectAllThatWait();
    expect(look.problems).toEqual([]);
  });

  test("a call that holds the line goes on by itself, and what somebody else answered is seen at once", async () => {
    await using look = await lookAt(browser, house, { hash: "#/approvals" });
    const { page } = look;
    const done = house.shop.call("refund", { amount: 12, to: "ada" });
    await opened(page, "May 12 go back to ada?");
    await button(page, /^Approve once/).click();
    expect(await done).toEqual({ refunded: 12 });
    await page.getByRole("link", { name: "Approvals", exact: true }).last().click();
    const other = house.shop.call("refund", { amount: 13, to: "ada" }).catch(String);
    await opened(page, "May 13 go back to ada?");
    const [waiting] = await house.approvals.list({ status: "waiting" });
    await house.approvals.answer([waiting?.id ?? ""], { verdict: "reject", reason: "bob was quicker" }, person);
    expect(await other).toContain("bob was quicker");
    await page.getByText("“bob was quicker”").waitFor();
    expect(await button(page, /^Approve once/).count()).toBe(0);
    await page.keyboard.press("a");
    expect(await page.locator(".toast").filter({ hasText: "once" }).count()).toBe(1);
  });

  test("always is for the same input, stands among the standing approvals, and can be taken back", async () => {
    await using look = await lookAt(browser, house, { hash: "#/approvals" });
    const { page } = look;
    await refund(21);
    await opened(page, "May 21 go back");
    await button(page, "Always for this caller").click();
    await said(page, "Approved refund always, for this caller");
    expect([(await refund(21)).status, (await refund(21)).status, (await refund(22)).status]).toEqual([200, 200, 202]);
    await page.getByRole("link", { name: "until it is taken back" }).click();
    const grant = page.getByRole("row").filter({ hasText: "Calls of refund with one exact input" });
    await grant.getByRole("button", { name: /Calls of refund/ }).click();
    await page.getByRole("dialog", { name: "Standing approval" }).getByText("person ada").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await grant.getByRole("button", { name: "Take back" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Take back" }).click();
    await page.getByText("Nothing is approved for good").waitFor();
    expect((await refund(21)).status).toBe(202);
    expect(await house.approvals.grants()).toEqual([]);
    await rejectAllThatWait();
  });

  test("a pattern begins with the input, says what it will cover, and covers that and no more", async () => {
    await using look = await lookAt(browser, house, { hash: "#/approvals" });
    const { page } = look;
    await refund(31, "ada@example.com", { order: "A.1", items: ["cup", "lid"] });
    await opened(page, "May 31 go back");
    await button(page, "By a pattern…").click();
    const dialog = page.getByRole("dialog", { name: "Approve by a pattern" });
    const sentence = dialog.getByRole("status", { name: "What it will cover" });
    expect(await sentence.innerText()).toContain('calls of refund where amount is 31 and to is "ada@example.com"');
    await dialog.getByLabel("What amount may be").selectOption({ label: "is at most" });
    await dialog.getByLabel("Value for amount").fill("a lot");
    await dialog.getByText("must be a number").waitFor();
    expect(await dialog.getByRole("button", { name: "Approve calls like this" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Value for amount").fill("100");
    await dialog.getByLabel("What to may be").selectOption({ label: "is like" });
    await dialog.getByLabel("Value for to").fill("*@example.com");
    await dialog.getByLabel("What note.order may be").selectOption({ label: "may be anything" });
    expect(await sentence.innerText()).toMatch(
      /amount is at most 100 and to is like "\*@example.com" and note.items is a list of which each is one of cup, lid, whatever else they are given go through without a question when anonymous 127.0.0.1 makes them/,
    );
    await dialog.getByRole("radio", { name: "For everyone" }).check({ force: true });
    expect(await sentence.innerText()).toContain("when anybody makes them");
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Approve calls like this" }).click();
    await said(page, "Approved refund by a pattern, for everyone");
    const items = { items: ["lid"] };
    expect((await refund(99, "bob@example.com", items)).status).toBe(200);
    expect((await refund(101, "bob@example.com", items)).status).toBe(202);
    expect((await refund(99, "bob@example.org", items)).status).toBe(202);
    expect((await refund(99, "bob@example.com", { items: ["pot"] })).status).toBe(202);
    expect((await house.approvals.grants()).map(({ pattern, principal }) => [pattern, principal])).toEqual([
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
    for (const { id } of await house.approvals.grants()) await house.approvals.revoke(id, person);
    await rejectAllThatWait();
  });

  test("a pattern can be written as JSON, and one that cannot be read is refused with the reason", async () => {
    await using look = await lookAt(browser, house, { hash: "#/approvals" });
    const { page } = look;
    await refund(32);
    await opened(page, "May 32 go back");
    await button(page, "By a pattern…").click();
    const dialog = page.getByRole("dialog", { name: "Approve by a pattern" });
    await dialog.getByRole("radio", { name: "JSON" }).check({ force: true });
    const approve = dialog.getByRole("button", { name: "Approve calls like this" });
    expect(JSON.parse(await dialog.getByLabel("Pattern").inputValue())).toEqual({
      tool: "refund",
      arguments: { amount: 32, to: "ada" },
    });
    await dialog.getByLabel("Pattern").fill("{");
    expect(await approve.isDisabled()).toBe(true);
    await dialog.getByLabel("Pattern").fill('{ "arguments": { "amount": { "maxx": 5 } } }');
    await approve.click();
    await dialog.getByText(/did you mean max/).waitFor();
    await dialog.getByLabel("Pattern").fill('{ "arguments": { "amount": { "min": 30, "max": 40 } } }');
    await approve.click();
    await said(page, "by a pattern, for this caller");
    expect((await refund(35, "anybody")).status).toBe(200);
    for (const { id } of await house.approvals.grants()) await house.approvals.revoke(id, person);
    await rejectAllThatWait();
  });

  test("a no needs a reason, which the caller is told", async () => {
    await using look = await lookAt(browser, house, { hash: "#/approvals" });
    const { page } = look;
    await refund(41);
    await opened(page, "May 41 go back");
    await page.keyboard.press("r");
    const dialog = page.getByRole("dialog", { name: "Reject the call" });
    const reject = dialog.getByRole("button", { name: "Reject", exact: true });
    expect(await reject.isDisabled()).toBe(true);
    await dialog.getByLabel("Reason").fill("ask accounting first");
    await reject.click();
    await said(page, "Rejected refund");
    await page.getByText("“ask accounting first”").waitFor();
    const told = await refund(41);
    expect([told.status, JSON.stringify(told.json)]).toEqual([
      403,
      expect.stringContaining("ask accounting first") as string,
    ]);
    expect(house.refunds).not.toContainEqual({ amount: 41, to: "ada" });
  });

  test("calls of one piece of code stand together, are answered together, and the code goes on", async () => {
    await using look = await lookAt(browser, house, { hash: "#/approvals" });
    const { page } = look;
    await refund(50, "somebody else");
    const code = `return (await Promise.all([51, 52, 53].map((amount) => refund({ amount, to: "code" })))).map((r) => r.refunded)`;
    const ran = house.shop.call("run_code", { code });
    const batch = page.getByRole("region", { name: "3 calls of one piece of code" });
    await batch.waitFor();
    await batch.getByRole("checkbox", { name: "3 calls of one piece of code" }).check();
    await page.getByText("3 of 4 selected").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page
      .getByRole("region", { name: "Selection" })
      .getByRole("button", { name: /^Approve once/ })
      .click();
    await said(page, "Approved 3 calls once");
    expect(await ran).toMatchObject({ result: [51, 52, 53] });
    expect(house.refunds.filter((each) => JSON.stringify(each).includes('"code"'))).toHaveLength(3);
    await row(page, "May 50 go back to somebody else?").waitFor();
    expect(await page.locator("[data-approval]").count()).toBe(1);
    await rejectAllThatWait();
  });

  test("one that is open brings those that came with it, to be approved with it", async () => {
    await using look = await lookAt(browser, house, { hash: "#/approvals" });
    const { page } = look;
    const code = `await Promise.all([54, 55].map((amount) => refund({ amount, to: "twins" })))`;
    const ran = house.shop.call("run_code", { code });
    await opened(page, "May 54 go back to twins?");
    await page.getByRole("heading", { name: "Came together with another call" }).waitFor();
    await page.getByRole("link", { name: "May 55 go back to twins?" }).waitFor();
    await button(page, "Approve all 2 once").click();
    await said(page, "Approved 2 calls once");
    await ran;
    expect(house.refunds.filter((each) => JSON.stringify(each).includes("twins"))).toHaveLength(2);
  });

  test("keys go through the queue, and none answers what is neither open nor selected", async () => {
    for (const amount of [61, 62, 63]) await refund(amount);
    await using look = await lookAt(browser, house, { hash: "#/approvals" });
    const { page } = look;
    await row(page, "May 63").waitFor();
    await page.keyboard.press("a");
    await said(page, "Nothing is selected");
    await page.keyboard.press("r");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    expect(await house.approvals.waiting()).toBe(3);
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.getByText("1 of 3 selected").waitFor();
    // A box that was ticked by hand keeps the focus: keys work there too.
    await row(page, "May 63").getByRole("checkbox").check();
    await page.keyboard.press("k");
    await page.keyboard.press("x");
    await page.getByText("1 of 3 selected").waitFor();
    await page.keyboard.press("a");
    await said(page, "Approved refund once");
    await expect.poll(() => house.approvals.waiting()).toBe(2);
    expect((await refund(63)).status).toBe(200);
    await page.getByRole("link", { name: "May 61 go back to ada?" }).click();
    await page.getByText("1 of 2").waitFor();
    await page.keyboard.press("j");
    await page.getByText("May 62 go back to ada?").waitFor();
    await page.getByText("2 of 2").waitFor();
    await page.keyboard.press("a");
    await page.keyboard.press("a");
    await page.getByText("The caller has not come back for it yet").waitFor();
    expect(await house.approvals.waiting()).toBe(1);
    expect((await refund(62)).status).toBe(200);
    await page.keyboard.press("Escape");
    await row(page, "May 61").waitFor();
    await rejectAllThatWait();
  });

  test("what changed since the last approved call is shown, and the answered ones are found again", async () => {
    await using look = await lookAt(browser, house, { hash: "#/approvals" });
    const { page } = look;
    await refund(71, "ada");
    await opened(page, "May 71 go back");
    await button(page, /^Approve once/).click();
    await said(page, "once");
    await refund(71, "ada");
    await refund(72, "mallory");
    await page.keyboard.press("Escape");
    await opened(page, "May 72 go back");
    const diff = page.getByRole("region", { name: "Input, compared with what was approved before" });
    expect(await diff.locator(".diff-gone").allInnerTexts()).toEqual([
      expect.stringContaining('"amount": 71'),
      expect.stringContaining('"to": "ada"'),
    ]);
    expect(await diff.locator(".diff-new").allInnerTexts()).toEqual([
      expect.stringContaining('"amount": 72'),
      expect.stringContaining('"to": "mallory"'),
    ]);
    await page.getByRole("radio", { name: "Raw" }).check({ force: true });
    expect(await page.getByRole("region", { name: "Input, raw" }).innerText()).toContain('"to": "mallory"');
    await page.getByRole("link", { name: "Approvals", exact: true }).last().click();
    await page.getByRole("tab", { name: "Answered" }).click();
    await page.getByLabel("What became of it").selectOption("used");
    await expect.poll(() => page.url()).toContain("status=used");
    await page.getByRole("row").filter({ hasText: "May 71 go back" }).waitFor();
    expect(await page.getByRole("row").filter({ hasText: "rejected" }).count()).toBe(0);
    await page.getByPlaceholder("Tool").fill("send_letter");
    await page.getByText("No answered call fits").waitFor();
    await button(page, "Clear").click();
    await page.getByRole("row").filter({ hasText: "May 41 go back" }).getByText("rejected").waitFor();
    expect(await page.getByRole("row").filter({ hasText: "May 72 go back" }).count()).toBe(0);
    await rejectAllThatWait();
  });

  test("a script that asks is shown with its source, leads to Scripts, and takes no pattern", async () => {
    await using look = await lookAt(browser, house, { hash: "#/approvals" });
    const { page } = look;
    expect((await house.execute("script_run", { name: "hello" })).status).toBe(202);
    await opened(page, "hello.star");
    await page.getByRole("region", { name: "The script that asks" }).getByText("def").waitFor();
    expect(await button(page, "By a pattern…").count()).toBe(0);
    await button(page, "Always for everyone").click();
    await said(page, "Approved script_run always, for everyone");
    expect(await house.execute("script_run", { name: "hello" })).toMatchObject({
      json: { result: { value: "hello you" } },
    });
    await page.getByRole("link", { name: "Open in Scripts" }).click();
    await page.getByRole("heading", { name: "hello", exact: true }).waitFor();
    await page.getByText("approved", { exact: true }).first().waitFor();
  });

  test("hostile questions and inputs are text, whole and marked, and nothing of them runs", async () => {
    const text =
      '<img src=x onerror="globalThis.hit=1"><script>globalThis.hit=1</script> \u202Egnp.exe\u202C \u001b[2J\u0007';
    await house.execute("send_letter", { to: "</textarea><b>you</b>", text });
    await house.execute("refund", { amount: 81, to: "x".repeat(60_000), note: { __proto__x: text, deep: deep(60) } });
    await using look = await lookAt(browser, house, { hash: "#/approvals", width: 390, height: 844 });
    const { page } = look;
    await page.getByText("<b>you</b>").first().waitFor();
    expect(await page.locator(".approvals-queue").innerText()).toContain("RLO");
    expect(await page.locator(".approvals-queue b, .approvals-queue img").count()).toBe(0);
    for (const question of ["Send this to", "May 81 go back"]) {
      await row(page, question).getByRole("link").click();
      await page.getByRole("heading", { name: "Your answer" }).waitFor();
      expect(await page.locator("main img, main script, main b").count()).toBe(0);
      expect(await page.evaluate("document.querySelector('main').scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      await button(page, "By a pattern…").click();
      await page.getByRole("dialog").waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await button(page, "Cancel").click();
      await page.keyboard.press("Escape");
    }
    expect(await page.evaluate("globalThis.hit")).toBeUndefined();
    expect(look.problems).toEqual([]);
    await rejectAllThatWait();
  });

  test("is accessible in light and dark, on a desk and on a phone", async () => {
    await refund(91, "ada", { because: "it broke" });
    await refund(92, "ada");
    await using look = await lookAt(browser, house, { hash: "#/approvals" });
    const { page } = look;
    await row(page, "May 92").getByRole("checkbox").check();
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.getByRole("link", { name: "May 91 go back to ada?" }).click();
    await page.getByRole("heading", { name: "Who asks" }).waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    for (const tab of ["answered", "grants"]) {
      await page.goto(`${house.url}/#/approvals?tab=${tab}`);
      await page.getByRole("row").nth(1).waitFor();
      expect(await problemsEverywhere(page)).toEqual([]);
    }
    expect(look.problems).toEqual([]);
    await rejectAllThatWait();
  });

  test("whoever lacks the scope is told so kindly", async () => {
    await house.people.add({ name: "cyd", passphrase: "correct horse battery staple", scopes: ["calls"] });
    await using look = await lookAt(browser, house, { hash: "#/approvals", as: "cyd" });
    await look.page.getByText("cyd lacks the scope approvals").waitFor();
  });
});

function deep(levels: number): unknown {
  return levels === 0 ? "end" : { inner: deep(levels - 1) };
}
