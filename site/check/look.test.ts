import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../.vitepress/repository.ts";
import { accessibilityProblems } from "../../test/support/accessibility.ts";
import { launchChromium } from "../../test/support/chromium.ts";
import { findChromium } from "../../test/support/find-chromium.ts";
import { serveSite } from "./built-site.ts";

/** A page of each kind: home, a guide, tables, a pack, the API reference. */
const paths = ["", "tools", "limits", "packs/web", "reference/observe"];
const widths = [390, 1280, 1920];
const themes = ["light", "dark"] as const;
const pictures = join(root, ".cache", "site-pictures");

describe.skipIf(findChromium().missing !== undefined)("the built site in Chromium", () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof serveSite>>;
  beforeAll(async () => {
    await mkdir(pictures, { recursive: true });
    [browser, site] = await Promise.all([launchChromium(), serveSite()]);
  });
  afterAll(async () => {
    await browser.close();
    await site[Symbol.asyncDispose]();
  });

  const looks = paths.flatMap((path) => widths.flatMap((width) => themes.map((theme) => ({ path, width, theme }))));
  test.each(looks)("/$path is accessible and fits, $width wide, $theme", async ({ path, width, theme }) => {
    await using look = await open({ width, theme });
    await look.page.goto(`${site.url}/${path}`, { waitUntil: "networkidle" });
    const name = `${path.replaceAll("/", "-") || "home"}-${width}-${theme}.png`;
    await look.page.screenshot({ path: join(pictures, name) });
    expect(await accessibilityProblems(look.page)).toEqual([]);
    expect(await overflowOf(look.page)).toBe(0);
    expect(look.problems).toEqual([]);
  });

  test("search finds a page, without another server", async () => {
    await using look = await open({ width: 1280, theme: "light" });
    const { page } = look;
    await page.goto(site.url, { waitUntil: "networkidle" });
    await page.getByRole("button", { name: "Search" }).click();
    await page.locator("#localsearch-input").fill("hash chain");
    await page.locator(".VPLocalSearchBox .result").first().waitFor();
    await page.screenshot({ path: join(pictures, "search.png") });
    await page.locator('.VPLocalSearchBox .result[href*="governance"]').first().click();
    await page.waitForURL(/\/governance/);
    expect(look.problems).toEqual([]);
  });

  test("a page of the reference is found by the name of an export", async () => {
    await using look = await open({ width: 390, theme: "dark" });
    const { page } = look;
    await page.goto(`${site.url}/reference/`, { waitUntil: "networkidle" });
    await page.getByRole("button", { name: "Search" }).click();
    await page.locator("#localsearch-input").fill("scopePolicy");
    await page.locator('.VPLocalSearchBox .result[href*="reference/governance"]').first().waitFor();
    expect(look.problems).toEqual([]);
  });

  async function open(options: { readonly width: number; readonly theme: "light" | "dark" }): Promise<Look> {
    const viewport = { width: options.width, height: 900 };
    const context = await browser.newContext({ viewport, colorScheme: options.theme, reducedMotion: "reduce" });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("request", (request) => {
      const address = request.url();
      if (!address.startsWith(site.url) && !/^(data|blob):/.test(address)) problems.push(`asked for ${address}`);
    });
    return { page, problems, [Symbol.asyncDispose]: () => context.close() };
  }
});

interface Look extends AsyncDisposable {
  readonly page: Page;
  /** Errors, and requests to elsewhere. */
  readonly problems: readonly string[];
}

/** By how many pixels the page is wider than the window. */
function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
