import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";
import { findChromium } from "./find-chromium.ts";

/** A browser of one's own, with an empty profile. */
export async function launchChromium(): Promise<Browser> {
  const { path, missing } = findChromium();
  if (path === undefined) throw new Error(`This needs ${missing}`);
  return chromium.launch({
    executablePath: path,
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

let shared: Promise<Browser> | undefined;

/** One browser for the test files of a process. To close it ends its contexts; it ends itself with the process. */
export async function openChromium(): Promise<Browser> {
  if (shared && !(await shared).isConnected()) shared = undefined;
  return (shared ??= launchShared());
}

async function launchShared(): Promise<Browser> {
  const browser = await launchChromium();
  browser.close = async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  };
  return browser;
}
