import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** What axe finds wrong on the page as it is now, a line each: empty is right. */
export async function accessibilityProblems(page: Page, options: CheckOptions = {}): Promise<readonly string[]> {
  // Injected by the browser's debugger, which the content policy does not bind. It stays until the page is loaded anew.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(await (axe ??= readAxe()));
  return page.evaluate(async ({ rules }) => {
    interface Violation {
      readonly id: string;
      readonly help: string;
      readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
    }
    interface Axe {
      run(options: object): Promise<{ violations: readonly Violation[] }>;
    }
    const { axe } = globalThis as unknown as { axe: Axe };
    // To describe all that is right takes as long as to find what is wrong.
    const { violations } = await axe.run({ resultTypes: ["violations"], ...(rules && { runOnly: rules }) });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes
        .slice(0, 3)
        .map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
    );
  }, options);
}

export interface CheckOptions {
  /** Only these (default: all). If the colours alone changed since the last check, "color-contrast" is enough. */
  readonly rules?: string[];
}

let axe: Promise<string> | undefined;

function readAxe(): Promise<string> {
  return readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
}

/** What is wrong on the page in light and dark, on a phone and on a wide screen, where it stays: empty is right. */
export async function problemsEverywhere(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [width, colorScheme] of looks) {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    const over = await page.evaluate(() => {
      const main = document.querySelector("main") ?? document.documentElement;
      return main.scrollWidth - main.clientWidth;
    });
    if (over > 0) found.push(`at ${width} pixels it is ${over} too wide`);
    found.push(...(await accessibilityProblems(page)).map((each) => `${colorScheme} ${width}: ${each}`));
  }
  return found;
}

/** Colours depend on the one, order and names on the other: two of the four find what all would, nearly. */
const looks = [
  ...(process.env["BIPLANE_SOAK"]
    ? ([
        [390, "light"],
        [1280, "dark"],
      ] as const)
    : []),
  [390, "dark"],
  [1280, "light"],
] as const;
