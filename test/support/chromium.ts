import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";

/** Where the system's Chromium is. A machine without it cannot run these tests, and says so. */
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((file) =>
  existsSync(file),
);

/** A real browser, with nothing remembered. Close it when the tests of a file are over. */
export async function openChromium(): Promise<Browser> {
  if (executablePath === undefined)
    throw new Error("These tests need Chromium: apt-get install -y chromium, or the browser's own installer");
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
