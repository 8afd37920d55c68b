import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { server } from "biplane";
import type { Server } from "biplane";
import { pageEndpoint } from "../../packages/biplane/src/admin/page-endpoint.ts";
import { openChromium } from "../support/chromium.ts";
import { accessibilityProblems, lookAt, problemsEverywhere } from "../support/page.ts";
import type { Look } from "../support/page.ts";

/* Every component, on the page in page/gallery, under the policy that the real page has. */
let browser: Browser;
let gateway: Server;
let folder: string;
let look: Look;
let page: Page;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-gallery-"));
  const args = [
    "node_modules/vite/bin/vite.js",
    "build",
    "--config",
    "page/gallery/vite.config.ts",
    "--outDir",
    folder,
  ];
  const env = { ...process.env, NODE_ENV: "production" };
  await promisify(execFile)(process.execPath, [...args, "--emptyOutDir", "--logLevel", "warn"], { env });
  gateway = server({ name: "gallery", version: "1" });
  const { url } = await gateway.serve({ url: "http://127.0.0.1:0", graceMs: 10, page: pageEndpoint({ folder }) });
  browser = await openChromium();
  look = await lookAt(browser, { url }, { as: null });
  ({ page } = look);
});

afterAll(async () => {
  await browser?.close();
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

describe("components", () => {
  test("pass the accessibility check in light and dark, wide and narrow", async () => {
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("show hostile text as text: nothing runs, nothing is hidden", async () => {
    expect(await page.title()).toBe("Components");
    const shown = await page.locator("#hostile").innerText();
    expect(shown).toContain("<script>document.title='owned'</script>");
    expect(shown).toContain("ESC");
    expect(shown).toContain("RLO");
    expect(shown).not.toMatch(/[\u202e\u200b]/);
    await expect.poll(() => page.locator("#hostile .redacted").allInnerTexts()).toEqual(["GITHUB_TOKEN", "redacted"]);
    expect(await page.locator("#hostile img, #hostile script").count()).toBe(0);
    const before = shown.length;
    await page.locator("#hostile .more").click();
    expect((await page.locator("#hostile").innerText()).length).toBeGreaterThan(before + 2000);
  });

  test("a dialog keeps the focus, closes with Esc, and gives the focus back", async () => {
    const opener = page.getByRole("button", { name: "Open a dialog" });
    await opener.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "A dialog" });
    await dialog.waitFor();
    for (let times = 0; times < 8; times++) {
      await page.keyboard.press("Tab");
      // Between two rounds the browser's own buttons have it, never the page behind.
      const where =
        "document.activeElement === document.body || document.querySelector('dialog').contains(document.activeElement)";
      expect(await page.evaluate(where)).toBe(true);
    }
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await opener.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  });

  test("tabs and menus work with arrow keys", async () => {
    await page.getByRole("tab", { name: "Input" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("tabpanel").getByText("The result").waitFor();
    await page.getByRole("button", { name: "Approve… (more options)" }).click();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Never").waitFor();
    expect(await page.getByRole("menu").count()).toBe(0);
  });

  test("a table is walked with arrow keys and opened with Enter", async () => {
    await page.getByRole("button", { name: "ada", exact: true }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByText("opened grace").waitFor();
    await expect.poll(() => page.getByText(/^opened/).allInnerTexts()).toEqual(["opened grace"]);
  });

  test("JSON opens and closes, and cuts what is long", async () => {
    const list = page.getByRole("button", { name: "many: [ 250 items ]" });
    await expect.poll(() => list.getAttribute("aria-expanded")).toBe("false");
    await list.click();
    await page.getByRole("button", { name: "150 more items" }).click();
    await page.getByText("249", { exact: true }).waitFor();
  });

  test("a form gives a value of its schema, and says what is missing only after a try", async () => {
    const form = page.locator("form");
    expect(await form.locator(".field-error").count()).toBe(0);
    await form.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => form.locator(".field-error").count()).toBeGreaterThan(1);
    expect(await accessibilityProblems(page)).toEqual([]);
    await form.getByLabel("name", { exact: false }).first().fill("ada");
    await form.getByLabel("amount").fill("12.5");
    await form.getByLabel("isUrgent").check();
    await form.getByLabel("color").selectOption("green");
    await form.getByRole("button", { name: "Add tags" }).click();
    await form.getByRole("textbox", { name: "tags 1" }).fill("first");
    await form.getByLabel("Type of shape").selectOption("Circle");
    await form.getByLabel("radius").fill("2");
    await form.getByLabel("anything").fill('{"a":[1]}');
    await form.getByRole("button", { name: "Send" }).click();
    expect(JSON.parse(await page.locator("#sent").innerText())).toEqual({
      name: "ada",
      amount: 12.5,
      count: 3,
      isUrgent: true,
      color: "green",
      tags: ["first"],
      shape: { radius: 2 },
      anything: { a: [1] },
    });
  });

  test("the same value can be written as JSON, and back", async () => {
    const form = page.locator("form");
    await form.getByText("JSON", { exact: true }).click();
    await form.getByLabel("Input as JSON").fill("{");
    await form.getByText("Not valid JSON").waitFor();
    await form.getByLabel("Input as JSON").fill('{"name":"alan","amount":1,"shape":"x"}');
    await form.getByText("Form", { exact: true }).click();
    await expect.poll(() => form.getByLabel("amount").inputValue()).toBe("1");
    await expect.poll(() => form.getByLabel("Type of shape").locator("option:checked").innerText()).toBe("Text");
  });

  test("broke no rule of the page meanwhile", () => {
    expect(look.problems).toEqual([]);
  });
});
