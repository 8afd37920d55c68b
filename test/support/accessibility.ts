import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** What axe finds wrong on the page as it is now, a line each: empty is right. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  // Injected by the browser's debugger, which the content policy does not bind.
  await page.evaluate(await (axe ??= readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")));
  return page.evaluate(async () => {
    interface Violation {
      readonly id: string;
      readonly help: string;
      readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
    }
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: readonly Violation[] }> } };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, help, nodes }) =>
      nodes
        .slice(0, 3)
        .map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
    );
  });
}

let axe: Promise<string> | undefined;
