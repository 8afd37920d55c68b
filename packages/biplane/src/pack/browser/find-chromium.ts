import { createRequire } from "node:module";
import { BiplaneError } from "@biplane/core";
import { chromiumPaths, isExecutable } from "./chromium-paths.ts";

/** The path of Chromium: the configured one, or the first of the usual paths. */
export function findChromium(named?: string, usual: readonly string[] = chromiumPaths): string {
  const found = (named === undefined ? usual : [named]).find(isExecutable);
  if (found !== undefined) return found;
  const where = named === undefined ? "No Chromium or Chrome was found" : `There is no Chromium at ${named}`;
  throw new BiplaneError("NOT_SUPPORTED", `${where}. Install it, or set executablePath.`);
}

/** Throws if `playwright-core` is not installed. */
export function findPlaywright(from: string | URL = import.meta.url): void {
  try {
    createRequire(from).resolve("playwright-core");
  } catch (cause) {
    throw new BiplaneError(
      "NOT_SUPPORTED",
      "The browser pack needs a package that is not installed. Run: npm install playwright-core",
      { cause },
    );
  }
}
