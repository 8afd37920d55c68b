import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allow, ask, environment, server, tool } from "biplane";
import { openChromium } from "../support/chromium.ts";
import { accessibilityProblems, lookAt, openPageGateway } from "../support/page.ts";
import type { PageGateway } from "../support/page.ts";

let browser: Browser;
let gateway: PageGateway;

beforeAll(async () => {
  browser = await openChromium();
  const command = { command: "npx", args: ["biplane", "serve", "shop.ts", "--stdio"] };
  gateway = await openPageGateway({ served: [shop(), lake()], kit: () => ({ command }) });
});

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

describe("the overview", () => {
  test("says what to do while nothing has happened yet", async () => {
    await using look = await lookAt(browser, gateway);
    await look.page.getByText("No calls yet").waitFor();
    await look.page.getByRole("link", { name: "call a tool" }).waitFor();
    expect(await accessibilityProblems(look.page)).toEqual([]);
  });

  test("shows each server with its endpoints, and a hostile description as text", async () => {
    await using look = await lookAt(browser, gateway);
    const { page } = look;
    await page.getByRole("heading", { name: "A shop <b>for all</b>" }).waitFor();
    await page.getByText("<img src=x onerror=alert(1)>").waitFor();
    expect(await page.locator("main img").count()).toBe(0);
    const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "lake" }) });
    await card.getByText("0 open episodes").waitFor();
    await card.getByRole("button", { name: /endpoints/ }).click();
    await expect
      .poll(() => card.locator(".endpoints .mono").allInnerTexts())
      .toEqual(expect.arrayContaining(["/env/lake/mcp", "/env/lake/ws", "/env/lake/control/initial_state"]));
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(look.problems).toEqual([]);
  });

  test("gives snippets that work: the curl it shows is answered by the server", async () => {
    await using look = await lookAt(browser, gateway);
    const { page } = look;
    const text = (name: string) => page.getByRole("region", { name, exact: true }).innerText();
    await page.getByRole("tab", { name: "Claude Desktop" }).waitFor();
    expect(JSON.parse(await text("Claude Desktop"))).toEqual({
      mcpServers: { shop: { command: "npx", args: ["biplane", "serve", "shop.ts", "--stdio"] } },
    });
    await page.getByRole("tab", { name: "HTTP", exact: true }).click();
    expect(JSON.parse(await text("HTTP"))).toEqual({
      mcpServers: { shop: { type: "http", url: `${gateway.url}/mcp` } },
    });
    await page.getByRole("tab", { name: "Python", exact: true }).click();
    expect(await text("Python")).toContain(`streamablehttp_client("${gateway.url}/mcp")`);
    await page.getByRole("tab", { name: "curl" }).click();
    await expect.poll(() => text("curl")).toContain("look");
    const [, address = "", body = ""] = /curl -s (\S+)\s+\\\s+-d '(.*)'/s.exec(await text("curl")) ?? [];
    const response = await fetch(address, { method: "POST", body });
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ result: { looked: 1 } })]);
    await page.getByLabel("Server to connect to").selectOption("lake");
    await expect
      .poll(() => page.getByLabel("Connection options").getByRole("tab").allInnerTexts())
      .toEqual(["Claude Desktop", "HTTP", "Python", "curl", "OpenEnv", "Eval Protocol"]);
    await page.getByRole("tab", { name: "OpenEnv" }).click();
    expect(await text("OpenEnv")).toContain(`GenericEnvClient(base_url="${gateway.url}/env/lake")`);
    await page.getByRole("tab", { name: "curl" }).click();
    const lines = (await text("curl"))
      .split(/\n(?=curl)/)
      .map((line) => /curl -s (\S+) -H '[^']*'\s+\\\s+-d '(.*)'/s.exec(line));
    for (const line of lines) {
      const [, to = "", sent = ""] = line ?? [];
      const headers = { "content-type": "application/json" };
      expect((await fetch(to, { method: "POST", headers, body: sent })).status).toBe(200);
    }
    expect(lines).toHaveLength(2);
  });

  test("a snippet is on the clipboard after a press", async () => {
    await using look = await lookAt(browser, gateway);
    const { page } = look;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: gateway.url });
    await page.getByRole("button", { name: "Copy the MCP URL of lake" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(`${gateway.url}/env/lake/mcp`);
  });

  test("counts calls over time, by tool, agent and policy, and leads to them", async () => {
    for (const name of ["look", "break_it"])
      await fetch(`${gateway.url}/mcp/execute`, {
        method: "POST",
        body: JSON.stringify({ tool: name, arguments: { what: "it" } }),
      });
    await using look = await lookAt(browser, gateway);
    const { page } = look;
    await page.getByRole("heading", { name: "Traffic" }).waitFor();
    await page.getByRole("radio", { name: "Last hour" }).check({ force: true });
    const rows = page.getByRole("table", { name: "Calls by tool" }).getByRole("row");
    await rows.filter({ hasText: "break_it" }).getByText("100%").waitFor();
    await page.getByRole("img", { name: /Calls over time\. calls: at most \d/ }).waitFor();
    const chart = page.getByRole("group", { name: /Run time over time/ });
    await chart.focus();
    await page.keyboard.press("ArrowLeft");
    await chart.getByText(/p99/).waitFor();
    await page.getByRole("tab", { name: "By agent" }).click();
    await page.getByRole("table", { name: "Calls by agent" }).getByRole("row").nth(1).waitFor();
    await page.getByRole("tab", { name: "By policy" }).click();
    await page
      .getByText(/No policy denied a call|refund/)
      .first()
      .waitFor();
    await page.reload();
    await expect.poll(() => page.getByRole("radio", { name: "Last hour" }).isChecked()).toBe(true);
    for (const width of [390, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await page.evaluate("document.querySelector('.main').scrollWidth > innerWidth")).toBe(false);
    }
    await page.getByRole("tab", { name: "By tool" }).click();
    await rows.filter({ hasText: "break_it" }).getByRole("link").click();
    await expect.poll(() => page.url()).toMatch(/#\/live\?tool=break_it&since=/);
    expect(look.problems).toEqual([]);
  });

  test("hides the instructions for clients after the first call, until they are wanted again", async () => {
    await using look = await lookAt(browser, gateway);
    const { page } = look;
    await page.getByRole("button", { name: "Connect a client" }).click();
    await page.reload();
    await page.getByRole("button", { name: "Hide these instructions" }).click();
    await expect.poll(() => page.getByRole("tab", { name: "Claude Desktop" }).count()).toBe(0);
    await page.reload();
    await page.getByRole("button", { name: "Connect a client" }).click();
    await page.getByRole("tab", { name: "Claude Desktop" }).waitFor();
  });

  test("moves with what happens: calls, errors, an approval that waits", async () => {
    await using look = await lookAt(browser, gateway);
    const { page } = look;
    const call = (name: string, input: unknown) =>
      fetch(`${gateway.url}/mcp/execute`, { method: "POST", body: JSON.stringify({ tool: name, arguments: input }) });
    await page.getByText(/^connected/).waitFor();
    await call("break_it", {});
    const latest = page.getByRole("table", { name: "Latest calls" }).getByRole("row");
    await latest.filter({ hasText: "break_it" }).getByText("execution error").waitFor();
    await call("refund", {});
    const waiting = page.getByRole("link").filter({ hasText: "to be answered" });
    await waiting.waitFor();
    expect(
      await page
        .getByRole("navigation", { name: "Views" })
        .getByRole("link", { name: /Approvals/ })
        .innerText(),
    ).toMatch(/1/);
    await expect
      .poll(() => page.getByRole("link").filter({ hasText: "Denied or failed" }).innerText())
      .toMatch(/failed\s+[12]\s/); // With the one of the test before, if that was in the same minute.
    await expect
      .poll(() => page.getByRole("img", { name: /Last minute/ }).getAttribute("aria-label"))
      .toMatch(/\d+ calls?/);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityProblems(page)).toEqual([]);
    }
    await latest.filter({ hasText: "break_it" }).first().click();
    await expect.poll(() => page.url()).toMatch(/#\/live\/.+/);
  });
});

function shop() {
  let looked = 0;
  const text = { type: "object", properties: { what: { type: "string" } }, required: ["what"] };
  return server({
    name: "shop",
    version: "2",
    title: "A shop <b>for all</b>",
    description: "<img src=x onerror=alert(1)> \u202Eesrever \u001b[31m",
    tools: [
      tool({
        name: "look",
        description: "Looks",
        input: text,
        annotations: { readOnlyHint: true },
        run: () => ({ looked: ++looked }),
      }),
      tool({ name: "break_it", description: "Fails", run: () => Promise.reject(new Error("broken")) }),
      tool({ name: "refund", description: "Gives it back", run: () => ({ back: 1 }) }),
    ],
  }).policy((_, name) => (name === "refund" ? ask("Really?") : allow()));
}

function lake() {
  return environment({
    name: "lake",
    version: "1",
    start: () => ({ steps: 0 }),
    observe: ({ steps }) => ({ steps }),
    tools: (tool) => ({
      lake_move: tool({
        description: "Moves",
        input: { type: "object", properties: { action: { enum: ["LEFT", "RIGHT"] } }, required: ["action"] },
        run: (_, { state }) => ({ steps: ++state.steps }),
      }),
    }),
  });
}
