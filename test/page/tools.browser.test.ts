import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openChromium } from "../support/chromium.ts";
import { accessibilityProblems, lookAt, problemsEverywhere } from "../support/page.ts";
import type { Look } from "../support/page.ts";
import { eventually, openToolsGateway, problemsOf, routesOf, secret } from "./tools-stage.ts";
import type { ToolsGateway } from "./tools-stage.ts";

let browser: Browser;
let gateway: ToolsGateway;
let look: Look;
let page: Page;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([openChromium(), openToolsGateway()]);
  look = await lookAt(browser, gateway, { hash: "#/tools" });
  ({ page } = look);
});

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

describe("the list of tools", () => {
  test("names every tool by its server, with what there is to know before a call", async () => {
    await page.getByRole("link", { name: /get_customer/ }).waitFor();
    await expect
      .poll(() => page.getByRole("heading", { level: 2 }).allInnerTexts())
      .toEqual(["shop", "counting\nenvironment"]);
    const wordsOf = async (name: string) =>
      page.locator(".tools-row", { hasText: name }).locator(".badge").allInnerTexts();
    expect(await wordsOf("get_customer")).toEqual(["read-only"]);
    expect(await wordsOf("refund")).toEqual(["destructive"]);
    expect(await wordsOf("list_customers")).toEqual(["idempotent"]);
    expect(await wordsOf("till")).toEqual(["app"]);
    expect(await wordsOf("add")).toEqual([]);
    await page.locator(".card", { hasText: "counting" }).getByText("calls need an episode").waitFor();
  });

  test("shows what a hostile tool says of itself as text", async () => {
    const row = page.locator(".tools-row", { hasText: "onerror" });
    await expect.poll(() => row.innerText()).toContain("<script>document.title='owned'</script>");
    await expect.poll(() => row.innerText()).toContain("RLO");
    expect(await row.innerText()).not.toContain("\u202e");
    expect(await page.title()).toBe("Tools · Biplane");
  });

  test("is searched by name and description, and the search is in the address", async () => {
    await page.getByRole("searchbox", { name: "Search tools" }).fill("look customer");
    await eventually(() => page.locator(".tools-row").count()).toBe(1);
    await expect.poll(() => page.url()).toContain("query=look+customer");
    await page.getByRole("searchbox", { name: "Search tools" }).fill("no such thing");
    await page.getByRole("button", { name: "Show all tools" }).click();
    await eventually(() => page.locator(".tools-row").count()).toBe(12);
    await page.getByRole("combobox", { name: "Server" }).selectOption("counting");
    await eventually(() => page.locator(".tools-row").count()).toBe(1);
  });

  test("passes the accessibility check in light and dark, wide and narrow", async () => {
    expect(await problemsEverywhere(page)).toEqual([]);
  });
});

describe("a tool", () => {
  test("is called from a form of its schema, and says in the form what is missing before it is sent", async () => {
    await open("shop/refund");
    await page.locator(".tools-rules").getByText("refundRule").waitFor();
    await press("Call");
    await eventually(() => page.locator(".field-error").count()).toBeGreaterThan(0);
    expect(await routesOf(gateway, "refund", look)).toEqual([]);
    await page.getByLabel("customerId").fill("ada");
    await page.getByLabel("amount").fill("20");
    await press("Call");
    await page.getByRole("heading", { name: /Result via MCP 2026-07-28 done/ }).waitFor();
    await expect.poll(() => page.locator(".tools-results").innerText()).toContain("refunded: 20");
    await expect
      .poll(() => page.getByRole("region", { name: "Sent via MCP 2026-07-28" }).innerText())
      .toContain('"tools/call"');
    await expect
      .poll(() => page.getByRole("region", { name: "Received via MCP 2026-07-28" }).innerText())
      .toContain("resultType");
  });

  test("keeps the filled-in form in the address, so that it can be shared", async () => {
    await eventually(() => page.url()).toContain("input=");
    const address = page.url().slice(page.url().indexOf("#"));
    await using other = await lookAt(browser, gateway, { hash: address });
    await eventually(() => other.page.getByLabel("customerId").inputValue()).toBe("ada");
    await expect.poll(() => other.page.getByLabel("amount").inputValue()).toBe("20");
  });

  test("that may change something is called over one protocol at a time", async () => {
    await page.getByText("Sent via MCP 2026-07-28").click();
    await page.getByRole("button", { name: "REST", exact: true }).click();
    await expect.poll(() => page.locator(".tools-transport[aria-pressed=true]").allInnerTexts()).toEqual(["REST"]);
    expect(await page.getByRole("button", { name: "Compare all" }).count()).toBe(0);
    await press("Call");
    await page.getByRole("heading", { name: /Result via REST done/ }).waitFor();
    expect(await routesOf(gateway, "refund", look)).toEqual(["execute", "mcp"]);
  });

  test("lists its latest calls, and comes first among the tools if it is called most", async () => {
    const latest = page.getByRole("table", { name: "Latest calls" });
    await eventually(() => latest.getByRole("link").allInnerTexts()).toEqual([
      "customerId: ada, amount: 20",
      "customerId: ada, amount: 20",
    ]);
    await latest.getByRole("link").first().click();
    await expect.poll(() => page.url()).toMatch(/#\/live\/[\w-]+\?server=shop&tool=refund/);
    await page.goto(`${gateway.url}/#/tools`);
    await page.getByRole("combobox", { name: "Order by" }).selectOption("calls");
    await eventually(() => page.locator(".tools-name").first().innerText()).toBe("refund");
    await expect.poll(() => page.url()).toContain("order=calls");
  });

  test("can be called with a wrong input on purpose, to see what the server says", async () => {
    await open(`shop/get_customer?input=${encodeURIComponent('{"customerId":7}')}`);
    await press("Call");
    await press("Call anyway");
    await page.getByRole("heading", { name: /invalid input/ }).waitFor();
    await expect.poll(() => page.locator(".result-error").innerText()).toContain("customerId");
  });

  test("called over every protocol shows that the results are equal", async () => {
    await open(`shop/list_customers`);
    await press("Compare all");
    await press("Call via 5 transports");
    await page.getByText("Identical results over all 5 transports.").waitFor();
    expect([...(await routesOf(gateway, "list_customers", look))].reverse()).toEqual([
      "mcp",
      "mcp",
      "execute",
      "code",
      "app",
    ]);
    await expect
      .poll(() => page.getByRole("heading", { level: 3 }).allInnerTexts())
      .toEqual(["MCP 2026-07-28", "MCP 2025-11-25", "REST", "Code", "App"]);
    await expect.poll(() => page.getByRole("region", { name: "Result as a table" }).innerText()).toContain("Alan");
    await expect.poll(() => page.getByRole("region", { name: "Received via REST" }).innerText()).toContain("200 OK");
  });

  test("with unequal results is shown with the difference", async () => {
    await open("shop/turn?ways=mcp-2026-07-28,execute");
    await press("Call via 2 transports");
    await page.getByText("The results differ.").waitFor();
    const diff = await page.getByRole("region", { name: "Differences" }).innerText();
    expect(diff.replaceAll(/\s+/g, " ")).toMatch(/− "turn": 1 .*\+ "turn": 2/);
    expect(await problemsEverywhere(page)).toEqual([]);
  });

  test("shows a hostile answer as text, cut where it is long", async () => {
    await open("shop/hostile");
    await press("Call");
    await page.getByRole("heading", { name: /Result via/ }).waitFor();
    const shown = await page.locator(".tools-results").innerText();
    expect(shown).toContain("<script>document.title='owned'</script>");
    expect(shown).toContain("more characters");
    expect(shown).not.toContain("\u202e");
    expect(await page.title()).toBe("hostile · Biplane");
    await page.getByRole("radio", { name: "Content" }).check({ force: true });
    expect(await page.locator(".blocks").innerText()).not.toContain("\u202e");
  });

  test("shows words, pictures, sounds, links and resources as what they are", async () => {
    await open("shop/everything");
    await press("Call");
    await page.getByText("Some words").first().waitFor();
    expect(await page.locator(".block-picture").boundingBox()).toMatchObject({ height: expect.any(Number) });
    await page.getByRole("button", { name: "Play" }).waitFor();
    await page.getByRole("button", { name: "Read resource" }).click();
    await page.getByText("the first note").waitFor();
    await expect.poll(() => page.locator(".blocks").innerText()).toContain("the second note");
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test("shows where a secret was, and not the secret", async () => {
    await open("shop/leak");
    await press("Call");
    await page.locator(".redacted", { hasText: "TOKEN" }).first().waitFor();
    expect(await page.content()).not.toContain(secret);
  });

  test("that needs approval links to the queue, and runs when it is called again after approval", async () => {
    await open(`shop/refund?input=${encodeURIComponent('{"customerId":"ada","amount":500}')}`);
    await press("Call");
    await page.getByText("The call is waiting for approval").waitFor();
    const link = await page.getByRole("link", { name: "View approval" }).getAttribute("href");
    const id = link?.split("/").at(-1) ?? "";
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "light" });
    await gateway.approvals.answer(
      [id],
      { verdict: "approve" },
      { kind: "person", id: "grace", scopes: ["approvals"] },
    );
    await page.getByText("Approved. Call again to run it.").waitFor();
    await press("Call again");
    await page.getByRole("heading", { name: /Result via MCP 2026-07-28 done/ }).waitFor();
    await expect.poll(() => page.locator(".tools-results").innerText()).toContain("refunded: 500");
  });
});

describe("a tool of an environment", () => {
  test("begins an episode when there is none, and each call is a step of it", async () => {
    await open("counting/add?seed=7");
    await press("Call");
    await page.getByRole("heading", { name: /Result via .* done/ }).waitFor();
    await expect.poll(() => page.locator(".tools-results").innerText()).toContain("count: 1");
    await press("Call");
    await eventually(() => page.locator(".tools-results").innerText()).toContain("count: 2");
    await eventually(() => page.getByRole("combobox", { name: "Episode" }).innerText()).toMatch(/seed 7 · 2 steps/);
    await eventually(() => page.url()).toMatch(/episode=[\w-]+/);
  });

  test("called over every protocol gives each a fork, and leaves the episode unchanged", async () => {
    await press("Compare all");
    await press("Call via 6 transports");
    await page.getByText("over all 6 transports").waitFor();
    await expect.poll(() => page.locator(".tools-results").innerText()).toContain("count: 3");
    const [episode] = [...gateway.game.episodes];
    expect(episode?.stepCount).toBe(2);
  });
});

test("an unknown tool shows a message", async () => {
  await open("shop/nothing_like_it");
  await page.getByText("Tool not found").waitFor();
  expect(await page.title()).toBe("Tool · Biplane");
});

test("nothing on the way was forbidden, failed, or asked for elsewhere", () => {
  expect(problemsOf(look)).toEqual([]);
});

async function open(address: string): Promise<void> {
  await page.goto(`${gateway.url}/#/tools`);
  await page.goto(`${gateway.url}/#/tools/${address}`);
  await page.locator("h1").waitFor();
}

async function press(name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}
