import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { environment, server, tool } from "biplane";
import { openChromium } from "../support/chromium.ts";
import { accessibilityProblems, lookAt, openPageGateway, passphrase } from "../support/page.ts";
import type { PageGateway } from "../support/page.ts";

const views = [
  "overview",
  "tools",
  "live",
  "approvals",
  "scripts",
  "episodes",
  "runs",
  "audit",
  "secrets",
  "connections",
  "settings",
];

let browser: Browser;
let gateway: PageGateway;

beforeAll(async () => {
  browser = await openChromium();
  gateway = await openPageGateway({ served: [shop(), counting()] });
});

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

describe("the first start", () => {
  test("asks for the code of the terminal, and creates the first account", async () => {
    await using fresh = await openPageGateway({ served: [shop()], isFresh: true });
    const code = (await fresh.people.setupCode()) ?? "";
    await using look = await lookAt(browser, fresh, { as: null, hash: "#/tools" });
    const { page } = look;
    await page.getByRole("heading", { name: "Welcome to Biplane" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const begin = page.getByRole("button", { name: "Create account" });
    await begin.click();
    for (const missing of ["Enter the code.", "Enter a name.", "Choose a stronger passphrase."])
      await page.getByText(missing).waitFor();
    await page.getByLabel("Your name").fill("ada");
    await page.getByLabel("Passphrase", { exact: true }).fill("too short");
    await page.getByText("Use at least 12 characters.").waitFor();
    await page.getByLabel("Passphrase", { exact: true }).fill(passphrase);
    await page.getByLabel("Code").fill("AAAAA-AAAAA-AAAAA-AAAAA");
    await begin.click();
    await expect.poll(() => page.getByRole("alert").innerText()).toMatch(/code/i);
    await page.getByLabel("Code").fill(code.toLowerCase());
    await begin.click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect((await fresh.people.list()).map(({ name }) => name)).toEqual(["ada"]);
    expect(look.problems).toEqual([]);
  });

  test("takes the code from the terminal's link, and leaves it out of the address afterwards", async () => {
    await using fresh = await openPageGateway({ served: [shop()], isFresh: true });
    const code = (await fresh.people.setupCode()) ?? "";
    await using look = await lookAt(browser, fresh, { as: null, hash: `#/setup/${code}` });
    const { page } = look;
    await page.getByLabel("Your name").fill("ada");
    await page.getByLabel("Passphrase", { exact: true }).fill(passphrase);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(page.url()).not.toContain(code);
  });
});

describe("logging in", () => {
  test("shows what is wrong, signs in to the requested view, and signs out", async () => {
    await using look = await lookAt(browser, gateway, { as: null, hash: "#/tools?server=shop" });
    const { page } = look;
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityProblems(page)).toEqual([]);
    }
    await page.getByLabel("Name").fill("ada");
    await page.getByLabel("Passphrase", { exact: true }).fill("not the passphrase");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByRole("alert").innerText()).toContain("The name or the passphrase is wrong");
    await page.getByLabel("Passphrase", { exact: true }).fill(passphrase);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Tools", level: 1 }).waitFor();
    await expect.poll(() => page.url()).toMatch(/#\/tools\?server=shop$/);
    await page.getByRole("button", { name: "Signed in as ada" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(look.problems).toEqual([]);
  });

  test("a first visit shows the log-in form and causes no refused request", async () => {
    await using context = await browser.newContext();
    const page = await context.newPage();
    const refused: string[] = [];
    page.on("response", (response) => {
      if (response.status() >= 400) refused.push(response.url());
    });
    await page.goto(gateway.url);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(refused).toEqual([]);
  });

  test("a session that ends elsewhere leads back to the login at the next request", async () => {
    await using look = await lookAt(browser, gateway);
    await look.page.getByRole("heading", { name: "Overview" }).waitFor();
    await gateway.people.signOutEverywhere("ada");
    await look.page.keyboard.press("Control+k");
    await look.page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await look.page.getByRole("dialog").count()).toBe(0);
  });
});

describe("getting around", () => {
  test("every view opens, is called what it is, and passes the accessibility check in light and dark", async () => {
    await using look = await lookAt(browser, gateway);
    const { page } = look;
    for (const view of views) {
      await page.goto(`${gateway.url}/#/${view}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expect.poll(() => page.title()).toContain(" · Biplane");
      expect([view, await page.getByRole("heading", { level: 1 }).count()]).toEqual([view, 1]);
      await page.emulateMedia({ colorScheme: "light" });
      expect([view, ...(await accessibilityProblems(page))]).toEqual([view]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect([view, ...(await accessibilityProblems(page, { rules: ["color-contrast"] }))]).toEqual([view]);
    }
    expect(look.problems).toEqual([]);
  }, 60_000);

  test("by keys: g and a letter, the palette for views and tools, and a list of all keys", async () => {
    await using look = await lookAt(browser, gateway);
    const { page } = look;
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.getByText("Go to Runs").waitFor();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.getByRole("heading", { name: "Tools", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").waitFor();
    await page.keyboard.type("apprais");
    await page.getByRole("option", { name: "appraise" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toMatch(/#\/tools\/shop\/appraise$/);
  });

  test("on a phone: a bar at the bottom, the rest behind More, and nothing wider than the screen", async () => {
    await using look = await lookAt(browser, gateway, { width: 390, height: 844 });
    const { page } = look;
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("navigation", { name: "Main views" }).getByRole("link", { name: "Tools" }).click();
    await expect.poll(() => page.url()).toMatch(/#\/tools$/);
    await page.getByRole("button", { name: "More" }).click();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("dialog", { name: "Views" }).getByRole("link", { name: "Secrets" }).click();
    await page.getByRole("heading", { name: "Secrets", level: 1 }).waitFor();
    for (const view of views) {
      await page.goto(`${gateway.url}/#/${view}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect([view, await page.evaluate("document.documentElement.scrollWidth <= 390")]).toEqual([view, true]);
    }
  });

  test("an unknown address shows a message", async () => {
    await using look = await lookAt(browser, gateway, { hash: "#/%E0%A4%A/<script>" });
    await look.page.getByText("This page does not exist").waitFor();
    await look.page.getByRole("link", { name: "Go to the overview" }).click();
    await look.page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(look.problems).toEqual([]);
  });
});

describe("colours", () => {
  test("follow the system until one chooses, and the choice is kept", async () => {
    await using look = await lookAt(browser, gateway, { theme: "dark" });
    const { page } = look;
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    const playground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    expect(await playground()).toBe("rgb(17, 18, 20)");
    await page.getByRole("button", { name: "Theme" }).click();
    await page.getByRole("menuitemradio", { name: "Light" }).click();
    expect(await playground()).toBe("rgb(247, 247, 245)");
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(await playground()).toBe("rgb(247, 247, 245)");
  });
});

describe("live events", () => {
  test("a lost connection is shown and made again", async () => {
    await using look = await lookAt(browser, gateway, { as: null });
    const { page } = look;
    await page.route("**/api/events*", (route) => route.abort());
    await page.getByLabel("Name").fill("ada");
    await page.getByLabel("Passphrase", { exact: true }).fill(passphrase);
    await page.keyboard.press("Enter");
    await page.getByText("reconnecting").waitFor();
    await page.unroute("**/api/events*");
    await page.getByText(/^connected/).waitFor();
    expect(await page.getByText("reconnecting").count()).toBe(0);
  });

  test("all views share one connection", async () => {
    await using look = await lookAt(browser, gateway);
    const { page } = look;
    await page.getByText(/^connected/).waitFor();
    for (const view of ["live", "episodes", "approvals", "overview"]) {
      await page.goto(`${gateway.url}/#/${view}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
    }
    await expect.poll(() => gateway.kit.readers(), { timeout: 20_000 }).toBe(1);
  });
});

function shop() {
  return server({
    name: "shop",
    version: "2",
    tools: [tool({ name: "appraise", description: "Says what it is worth", run: () => ({ worth: 3 }) })],
  });
}

function counting() {
  return environment({
    name: "counting",
    version: "1",
    start: () => ({ count: 0 }),
    observe: ({ count }) => ({ count }),
    tools: (tool) => ({
      add_one: tool({ description: "Adds one", run: (_, { state }) => ({ count: ++state.count }) }),
    }),
  });
}
