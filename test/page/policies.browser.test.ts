import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allow, deny, server, tool } from "biplane";
import { resolveConfig } from "../../packages/biplane/src/config/resolve-config.ts";
import { openChromium } from "../support/chromium.ts";
import { lookAt, openPageGateway } from "../support/page.ts";
import type { PageGateway } from "../support/page.ts";
import { problemsEverywhere, said } from "./approvals-server.ts";

const hostile = '<img src=x onerror="globalThis.hit=1">';
const config = `policies:
  - name: small refunds
    tool: refund
    arguments: { amount: { max: 100 } }
    allow: true
  - name: ${hostile}
    tool: refund
    arguments: { amount: { min: 5000 } }
    deny: Too much
  - tool: refund
    ask: "Refund {arguments.amount}?"
  - { name: starred, tool: look, arguments: { order: "O-*" }, deny: Text with a star }
  - { name: glob, tool: look, arguments: { order: { like: "O-*" } }, deny: A glob }
  - { tool: look, allow: true }
`;

let browser: Browser;
let gateway: PageGateway;

beforeAll(async () => {
  browser = await openChromium();
  const shop = server({
    name: "shop",
    tools: {
      refund: tool({
        input: { type: "object", properties: { amount: { type: "number" }, to: {} } },
        run: ({ amount }) => ({ refunded: amount }),
      }),
      look: tool({ run: () => "seen" }),
    },
  }).policy(function officeHours(_, name, input) {
    const isLate = name === "refund" && (input as { to?: unknown }).to === "late";
    return isLate ? deny("Too late", { rule: "too-late" }) : allow();
  });
  const file = { name: "/srv/shop/biplane.yaml", text: config };
  gateway = await openPageGateway({ served: [shop], rules: resolveConfig({ file, environment: {} }) });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

const execute = async (name: string, input: unknown) => {
  const body = JSON.stringify({ tool: name, arguments: input });
  const response = await fetch(`${gateway.url}/mcp/execute`, { method: "POST", body });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
};

describe("policies", () => {
  test("are all listed: of the config with lines, published, and of code, with hits and the last decision", async () => {
    for (const amount of [5, 6, 500, 6000]) await execute("refund", { amount, to: hostile });
    await execute("look", {});
    await execute("refund", { amount: 1, to: "late" });
    await using look = await lookAt(browser, gateway, { hash: "#/policies" });
    const { page } = look;
    const row = (text: string) => page.getByRole("row").filter({ hasText: text });
    const small = await row("small refunds").innerText();
    expect(small.replaceAll(/\s+/g, " ")).toMatch(/allow 2 refund .* 2$/);
    await expect.poll(() => row(hostile).innerText()).toContain("deny");
    await expect.poll(() => row("unnamed").first().innerText()).toContain("ask");
    await page.getByText("functions in the code of shop").waitFor();
    await expect.poll(() => row("5 allow, 1 deny").innerText()).toMatch(/officeHours[^]*varies\s+5 allow, 1 deny/);
    await expect.poll(() => row("too-late").innerText()).toMatch(/Part of the hits of officeHours[^]*deny\s+1\s/);
    await expect.poll(() => row("starred").innerText()).toContain('look where order is exactly "O-*"');
    await expect.poll(() => row("A glob").innerText()).toContain("look where order is like O-*");
    await page.getByText("If no rule matches: deny").waitFor();
    await page.getByText("No published rules").waitFor();
    expect(await page.locator("main img").count()).toBe(0);
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(async () => (await row("small refunds").innerText()).replaceAll(/\s+/g, " ")).toMatch(/2 hits$/);
    expect(look.problems).toEqual([]);
  });

  test("are tested with a recorded call, and say which condition fails", async () => {
    await execute("refund", { amount: 700, to: hostile });
    await using look = await lookAt(browser, gateway, { hash: "#/policies?tab=test" });
    const { page } = look;
    // The newest call is tested at once.
    await page.getByText("arguments.amount is 700; the rule needs at most 100").waitFor();
    await page.getByRole("row").filter({ hasText: "look" }).first().getByRole("button").click();
    await page.getByText("arguments.amount is 700; the rule needs at most 100").waitFor({ state: "detached" });
    // The function of the shop is not run, and may still deny.
    await page.getByText("allow, before code policies").waitFor();
    const part = (title: string) => page.locator(".card").filter({ has: page.getByRole("heading", { name: title }) });
    await expect.poll(() => part("Code policies").innerText()).toMatch(/not run[^]*officeHours/);
    await expect.poll(() => part("Published rules").innerText()).toMatch(/no match[^]*There are no rules/);
    await page.getByRole("row").filter({ hasText: "refund" }).first().getByRole("button").click();
    await page.getByText("“Refund 700?”").waitFor();
    await page.getByText("Published rules").last().waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.getByLabel("Outcome").selectOption("done");
    await expect.poll(() => page.getByRole("row").filter({ hasText: "suspended" }).count()).toBe(0);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    await page.getByRole("row").filter({ hasText: "look" }).first().getByRole("button").click();
    const drawer = page.getByRole("dialog", { name: "Test of a recorded call" });
    await drawer.getByText("Config file").waitFor();
    await drawer.getByRole("button", { name: "Close" }).click();
    await drawer.waitFor({ state: "detached" });
  });

  test("in the store are edited, tried on the last calls, published, and in force at once", async () => {
    expect((await execute("refund", { amount: 50 })).status).toBe(200);
    await using look = await lookAt(browser, gateway, { hash: "#/policies?tab=published" });
    const { page } = look;
    const editor = page.getByLabel("Rules", { exact: true });
    await page.getByText("no changes").waitFor();
    await editor.fill("- { name: fifty, tol: refund, deny: no }");
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByText(/rules:1:\d+: .*did you mean tool/).waitFor();
    await expect.poll(() => page.locator(".rules-wrong").allTextContents()).toEqual(["1"]);
    await expect.poll(() => page.getByRole("button", { name: "Publish…" }).isDisabled()).toBe(true);
    await editor.fill(
      `- name: fifty ${hostile}\n  tool: refund\n  arguments: { amount: 50 }\n  deny: "No ${hostile.replaceAll('"', "'")}"`,
    );
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByRole("heading", { name: "1 recorded call is decided differently" }).waitFor();
    await page.getByRole("row").filter({ hasText: "allow → deny" }).waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.getByRole("heading", { name: "Draft" }).waitFor();
    await page.getByRole("button", { name: "Publish…" }).click();
    await page.getByLabel("Comment").fill(hostile);
    await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
    await said(page, "Published version 1");
    expect((await execute("refund", { amount: 50 })).json).toMatchObject({ error: "POLICY_DENIED" });
    expect((await execute("refund", { amount: 51 })).status).toBe(200);
    await page.getByText("in force").waitFor();
    await page.getByRole("tab", { name: "Rules", exact: true }).click();
    await page.getByText("Version 1, published by").waitFor();
    expect(await page.locator("main img").count()).toBe(0);
    expect(await page.evaluate("globalThis.hit")).toBeUndefined();
    const audit = await gateway.store.db
      .selectFrom("audit")
      .select("line")
      .orderBy("sequence", "desc")
      .limit(3)
      .execute();
    expect(audit.some(({ line }) => line.includes('"rules":["small refunds","published/fifty'))).toBe(true);
    expect(look.problems).toEqual([]);
  });

  test("of an earlier version are compared with the current ones, and replace a draft only if that is confirmed", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/policies?tab=published" });
    const { page } = look;
    const editor = page.getByLabel("Rules", { exact: true });
    await editor.fill('- { name: fifty, tool: refund, arguments: { amount: 50 }, ask: "Fifty?" }');
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByRole("button", { name: "Publish…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
    await said(page, "Published version 2");
    await page.getByRole("button", { name: "Compare version 1 with the current one" }).click();
    const comparison = page.getByRole("dialog", { name: "From version 1 to version 2" });
    await comparison.locator(".diff-new").filter({ hasText: "Fifty?" }).waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.keyboard.press("Escape");
    const load = page.getByRole("button", { name: "Open in editor: version 1" });
    await load.click();
    await expect.poll(() => editor.inputValue()).toContain("deny: ");
    await editor.fill("- my draft");
    await load.click();
    const question = page.getByRole("dialog", { name: "Open version 1?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => editor.inputValue()).toBe("- my draft");
    await load.click();
    await question.getByRole("button", { name: "Replace the draft" }).click();
    await expect.poll(() => editor.inputValue()).toContain("deny: ");
    expect(look.problems).toEqual([]);
  });

  test("are edited over a copy in colours, which has the same size and follows when they are scrolled", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/policies?tab=published" });
    const { page } = look;
    const editor = page.getByLabel("Rules", { exact: true });
    const rule = `- name: many # é 漢字 👩‍💻\n  deny: "${"No. ".repeat(80)}"\n\n\ttool: ${hostile}\n`;
    await editor.fill(rule.repeat(40));
    const copy = page.locator(".rules-field pre");
    expect(await copy.evaluate((element) => element.scrollHeight)).toBe(
      await editor.evaluate((element) => element.scrollHeight),
    );
    // An edge says that lines go on, until their end is shown.
    await page.locator(".rules-cut").waitFor();
    await editor.evaluate((element) => element.scrollTo(1e6, 1e6));
    await page.locator(".rules-cut").waitFor({ state: "detached" });
    const [left, top] = await editor.evaluate((element) => [element.scrollLeft, element.scrollTop]);
    expect(left).toBeGreaterThan(0);
    await expect
      .poll(() => copy.evaluate((element) => (element as HTMLElement).style.transform))
      .toBe(`translate(-${left}px, -${top}px)`);
    await editor.fill("# ".repeat(40_000));
    await copy.waitFor({ state: "detached" });
    expect(look.problems).toEqual([]);
  });

  test("are refused to a person without the scope", async () => {
    await gateway.people.add({ name: "cyd", passphrase: "correct horse battery staple", scopes: ["calls"] });
    await using look = await lookAt(browser, gateway, { hash: "#/policies", as: "cyd" });
    await look.page.getByText("You do not have access to Policies").waitFor();
    expect(await look.page.getByRole("row").count()).toBe(0);
  });
});
