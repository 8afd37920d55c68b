import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { passphrase } from "./admin.ts";

/** A view to take pictures of. */
export interface View {
  /** The beginning of the names of its pictures. */
  readonly name: string;
  /** Such as `#/live`. */
  readonly hash: string;
  /** What is there once it is loaded. */
  readonly waitFor: string;
  /** What is done before the pictures are taken. */
  readonly prepare?: (page: Page) => Promise<void>;
}

export interface Shoot {
  readonly browser: Browser;
  readonly url: string;
  /** Where the pictures go. */
  readonly folder: string;
  /** Only pictures whose names contain this, or one of several with commas between. */
  readonly part: string;
  /** Who looks; null is nobody. */
  readonly as: string | null;
}

const widths = [390, 1280, 1920];
const heights: Readonly<Record<number, number>> = { 390: 844, 1280: 900, 1920: 1080 };
const themes = ["light", "dark"] as const;

/** Takes a picture of each view at each width, in light and dark. Returns what went wrong. */
export async function takePictures(
  views: readonly View[],
  { browser, url, folder, part, as }: Shoot,
): Promise<string[]> {
  const problems: string[] = [];
  for (const theme of themes)
    for (const width of widths) {
      await using opened = await openContext(browser, { url, as, theme, width });
      const page = await opened.context.newPage();
      page.on("pageerror", (error) => problems.push(error.message));
      for (const { name, hash, waitFor, prepare } of views) {
        const picture = `${name}-${width}-${theme}`;
        if (!part.split(",").some((each) => picture.includes(each))) continue;
        try {
          // The page is loaded once for each size and theme; views change by their hash.
          await growTo(page, heights[width] ?? 900);
          await page.goto(`${url}/${hash}`);
          await page.locator("main").getByText(waitFor).filter({ visible: true }).first().waitFor({ timeout: 5000 });
          await prepare?.(page);
          await settle(page);
          if (await isTooWide(page)) problems.push(`${picture}: wider than the window`);
          await growTo(page, await contentHeight(page));
          await page.screenshot({ path: join(folder, `${picture}.png`) });
        } catch (error) {
          problems.push(`${picture}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    }
  return problems;
}

interface OpenedContext extends AsyncDisposable {
  readonly context: BrowserContext;
}

async function openContext(
  browser: Browser,
  { url, as, theme, width }: { url: string; as: string | null; theme: "light" | "dark"; width: number },
): Promise<OpenedContext> {
  const viewport = { width, height: heights[width] ?? 900 };
  const context = await browser.newContext({ viewport, colorScheme: theme, reducedMotion: "reduce", locale: "en-GB" });
  if (as !== null) {
    const response = await context.request.post(`${url}/api/session`, { data: { name: as, passphrase } });
    const { key } = (await response.json()) as { key: string };
    await context.addInitScript(
      ({ key, origin }) => {
        if (location.origin === origin) localStorage["biplane-key"] ??= key;
      },
      { key, origin: new URL(url).origin },
    );
  }
  return { context, [Symbol.asyncDispose]: () => context.close() };
}

/** Waits until nothing loads any more. The stream of events never ends, so that the network is not a sign. */
async function settle(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector(".skeleton, .loading, [aria-busy=true]") === null);
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(250);
}

/** The page scrolls inside of itself, so that a picture of all of it needs a higher window. */
function contentHeight(page: Page): Promise<number> {
  return page.evaluate(() => {
    const main = document.querySelector(".main");
    return main ? innerHeight + main.scrollHeight - main.clientHeight : document.documentElement.scrollHeight;
  });
}

async function growTo(page: Page, height: number): Promise<void> {
  const { width = 1280 } = page.viewportSize() ?? {};
  await page.setViewportSize({ width, height: Math.min(maxHeight, height) });
}

const maxHeight = 2600;

function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
}
