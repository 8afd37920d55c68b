import type { Browser, FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openChromium } from "../support/chromium.ts";
import { lookAt, problemsEverywhere } from "../support/page.ts";
import type { Look } from "../support/page.ts";
import { eventually, openToolsGateway, problemsOf, routesOf } from "./tools-stage.ts";
import type { ToolsGateway } from "./tools-stage.ts";

let browser: Browser;
let gateway: ToolsGateway;
let look: Look;
let page: Page;

let app: FrameLocator;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([openChromium(), openToolsGateway()]);
  look = await lookAt(browser, gateway, { hash: "#/tools/shop/till" });
  ({ page } = look);
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText("sandboxed").waitFor();
  app = page.frameLocator("iframe").frameLocator("iframe");
});

afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

/* One app on one page, from the first message to the last. */
describe("an app in the page", () => {
  test("runs on its own origin, gets the call, and is shown with the same result as text", async () => {
    await eventually(() => app.locator("#input").textContent()).toBe('{"drawer":"top"}');
    await eventually(() => app.locator("#result").textContent()).toBe('{"drawer":"top","open":true}');
    await expect
      .poll(() => page.locator("iframe").getAttribute("src"))
      .toMatch(/^http:\/\/[0-9a-f]{32}\.localhost:\d+\/sandbox/);
    await expect
      .poll(() => page.getByRole("region", { name: "Result as text" }).innerText())
      .toContain('"drawer":"top"');
    await expect.poll(() => page.locator(".app-bar").innerText()).toContain("The till");
    await eventually(() =>
      page
        .locator("iframe")
        .boundingBox()
        .then((box) => box?.height),
    ).toBe(260);
  });

  test("calls the tools of its own server that are for apps, by the route app, and no others", async () => {
    await app.getByRole("button", { name: "Sell" }).click();
    await eventually(() => app.locator("#log").textContent()).toContain('"sold":');
    expect(await routesOf(gateway, "sell", look)).toContain("app");
    await app.getByRole("button", { name: "Inner" }).click();
    await eventually(() => app.locator("#log").textContent()).toContain("is not visible to apps");
    expect(await routesOf(gateway, "inner", look)).toEqual([]);
  });

  test("opens a link only when the person agrees, who sees the whole address", async () => {
    await page.context().route("http://shop.test/**", (route) => route.fulfill({ body: "a receipt" }));
    await app.getByRole("button", { name: "Link" }).click();
    const dialog = page.getByRole("dialog", { name: "Open a link?" });
    await eventually(() => dialog.innerText()).toContain("http://shop.test/receipt?for=ada");
    await dialog.getByRole("button", { name: "Don't allow" }).click();
    await eventually(() => app.locator("#log").textContent()).toContain('{"isError":true}');
    expect(page.context().pages()).toHaveLength(1);
    await app.getByRole("button", { name: "Link" }).click();
    const [tab] = await Promise.all([
      page.context().waitForEvent("page"),
      dialog.getByRole("button", { name: "Open in a new tab" }).click(),
    ]);
    await eventually(() => tab.url()).toBe("http://shop.test/receipt?for=ada");
    await tab.close();
  });

  test("sends messages as the person only with consent, and they are shown as text", async () => {
    await app.getByRole("button", { name: "Message" }).click();
    const dialog = page.getByRole("dialog", { name: "Send a message as you?" });
    await eventually(() => dialog.innerText()).toContain("<b>Count</b> the till");
    await dialog.getByRole("button", { name: "Send" }).click();
    await app.getByRole("button", { name: "Context" }).click();
    await eventually(() => page.locator(".app-model").allInnerTexts().then(String)).toContain("The till is open");
    await expect.poll(() => page.locator(".app-model").innerText()).toContain("<b>Count</b> the till");
  });

  test("gets the page's colours, at first and when they change", async () => {
    const root = app.locator("html");
    const ink = async () => /--color-text-primary: ([^;]+);/.exec((await root.getAttribute("style")) ?? "")?.[1];
    await eventually(() => root.getAttribute("data-theme")).toBe("light");
    const before = await ink();
    expect(before).toMatch(/^rgb/);
    await page.getByRole("button", { name: "Theme" }).click();
    await page.getByRole("menuitemradio", { name: "Dark" }).click();
    await eventually(() => root.getAttribute("data-theme")).toBe("dark");
    expect(await ink()).not.toBe(before);
    await page.getByRole("button", { name: "Theme" }).click();
    await page.getByRole("menuitemradio", { name: "System" }).click();
    await page.emulateMedia({ colorScheme: "dark" });
    await eventually(() => root.getAttribute("data-theme")).toBe("dark");
    await page.emulateMedia({ colorScheme: "light" });
    await eventually(() => root.getAttribute("data-theme")).toBe("light");
  });

  test("fills the window when it or the person wants, keeps its state, and Esc brings the page back", async () => {
    const root = app.locator("html");
    const height = () =>
      page
        .locator("iframe")
        .boundingBox()
        .then((box) => box?.height);
    await app.getByRole("button", { name: "Full" }).click();
    await eventually(() => root.getAttribute("data-mode")).toBe("fullscreen");
    expect(await height()).toBeGreaterThan(700);
    await page.getByRole("button", { name: "Exit full screen" }).focus();
    await page.keyboard.press("Escape");
    await eventually(() => root.getAttribute("data-mode")).toBe("inline");
    expect(await height()).toBe(260);
    await page.getByRole("button", { name: "Full screen" }).click();
    await eventually(() => root.getAttribute("data-mode")).toBe("fullscreen");
    await page.getByRole("button", { name: "Exit full screen" }).click();
    await eventually(() => root.getAttribute("data-mode")).toBe("inline");
    await expect.poll(() => app.locator("#log").textContent()).toContain("fullscreen");
  });

  test("has every message that went by in a panel, with what was in it", async () => {
    await page.getByText("Messages", { exact: false }).locator("visible=true").first().click();
    const log = page.getByRole("list", { name: "Messages, newest first" });
    await eventually(() => log.innerText()).toContain("ui/initialize");
    await expect.poll(() => log.innerText()).toContain("ui/notifications/tool-result");
    await log.getByRole("button", { name: "ui/initialize" }).click();
    await eventually(() => log.innerText()).toContain("appCapabilities");
  });

  test("passes the accessibility check in light and dark, wide and narrow", async () => {
    expect(await problemsEverywhere(page)).toEqual([]);
  });

  test("is stopped when it floods the page, which says so and offers to begin anew", async () => {
    await app.getByRole("button", { name: "Flood" }).click();
    await page.getByRole("alert").filter({ hasText: "The app was stopped" }).waitFor();
    expect(await page.locator("iframe").count()).toBe(0);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("sandboxed").waitFor();
  });

  test("is torn down when the person leaves the page", async () => {
    const before = (await routesOf(gateway, "take_leave", look)).length;
    await page.goto(`${gateway.url}/#/live?route=app&tool=sell`);
    await page.getByRole("link", { name: "sell" }).first().waitFor();
    await eventually(async () => (await routesOf(gateway, "take_leave", look)).length).toBe(before + 1);
    await page.locator("iframe").waitFor({ state: "detached" });
    expect(await page.locator(".app-retired").innerHTML()).toBe("");
  });
});

test("nothing on the way was forbidden, failed, or asked for elsewhere", () => {
  expect(problemsOf(look)).toEqual([]);
});

test("without a place for apps the page says what to set, and shows the text", async () => {
  await using bare = await openToolsGateway({ isWithoutSandbox: true });
  await using bareLook = await lookAt(browser, bare, { hash: "#/tools/shop/till" });
  await bareLook.page.getByRole("button", { name: "Call", exact: true }).click();
  await bareLook.page.getByText("http.sandboxUrl").waitFor();
  await expect.poll(() => bareLook.page.getByRole("region", { name: "Result as text" }).innerText()).toContain("open");
  expect(await bareLook.page.locator("iframe").count()).toBe(0);
  expect(problemsOf(bareLook)).toEqual([]);
});
