import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { BiplaneError } from "../../errors.ts";

/** Where Chromium lies: where the operator says, else where systems put it. */
export function findChromium(named?: string, usual: readonly string[] = usualPaths): string {
  const found = (named === undefined ? usual : [named]).find(isExecutable);
  if (found !== undefined) return found;
  const where = named === undefined ? "No Chromium or Chrome was found" : `There is no Chromium at ${named}`;
  throw new BiplaneError("NOT_SUPPORTED", `${where}: install it, or say where it is with executablePath`);
}

/** Says so where the package that drives the browser is missing. */
export function findPlaywright(from: string | URL = import.meta.url): void {
  try {
    createRequire(from).resolve("playwright-core");
  } catch (cause) {
    throw new BiplaneError(
      "NOT_SUPPORTED",
      "The browser needs a package that is not installed: npm install playwright-core",
      { cause },
    );
  }
}

const usualPaths = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/google-chrome",
  "/opt/google/chrome/chrome",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
