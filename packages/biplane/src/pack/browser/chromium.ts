import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Browser, BrowserContext } from "playwright-core";
import { BiplaneError } from "@biplane/core";
import type { NetworkGuard } from "../shared/net/network-guard.ts";
import { GuardedProxy } from "./guarded-proxy.ts";
import type { ProxyCredentials } from "./guarded-proxy.ts";
import { watchMemory } from "./watch-memory.ts";

export interface ChromiumOptions {
  readonly executablePath: string;
  readonly sandbox: boolean;
  readonly guard: NetworkGuard;
  readonly maxBytes: number;
  readonly maxPageMemoryBytes: number;
}

/** One caller's browser context, with its own cookies. Dispose it to close it. */
export interface CallerBrowser extends AsyncDisposable {
  readonly context: BrowserContext;
}

/** One Chromium process for all callers. It starts with the first caller and ends with the last. */
export class Chromium implements AsyncDisposable {
  readonly #options: ChromiumOptions;
  #current: SharedProcess | undefined;

  constructor(options: ChromiumOptions) {
    this.#options = options;
  }

  async open(): Promise<CallerBrowser> {
    const current = (this.#current ??= this.#start());
    current.callers++;
    let credentials: ProxyCredentials | undefined;
    const release = async () => {
      credentials?.revoke();
      if (--current.callers === 0) await this.#end(current);
    };
    try {
      const { browser, proxy } = await current.running;
      credentials = proxy.issueCredentials();
      const { username, password } = credentials;
      const context = await browser.newContext({
        proxy: { server: proxy.url, bypass: "<-loopback>", username, password },
        acceptDownloads: false,
        serviceWorkers: "block",
        permissions: [],
        viewport: { width: 1280, height: 800 },
        locale: "en-GB",
      });
      return {
        context,
        [Symbol.asyncDispose]: async () => {
          await context.close().catch(() => undefined); // it may have ended with its process
          await release();
        },
      };
    } catch (error) {
      await release();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#current) await this.#end(this.#current);
  }

  #start(): SharedProcess {
    const current = { running: start(this.#options), callers: 0 };
    const forget = () => {
      if (this.#current === current) this.#current = undefined;
    };
    current.running.then(({ browser }) => browser.once("disconnected", forget), forget);
    return current;
  }

  async #end(current: SharedProcess): Promise<void> {
    if (this.#current === current) this.#current = undefined;
    await current.running.then(
      (running) => running.close(),
      () => undefined, // a process that failed to start needs no closing
    );
  }
}

/** A process and its number of callers. */
interface SharedProcess {
  readonly running: Promise<Running>;
  callers: number;
}

interface Running {
  readonly browser: Browser;
  readonly proxy: GuardedProxy;
  close(): Promise<void>;
}

async function start(options: ChromiumOptions): Promise<Running> {
  const { chromium } = await import("playwright-core");
  const proxy = await GuardedProxy.open(options);
  const home = await mkdtemp(join(tmpdir(), "biplane-browser-"));
  const cleanUp = async () => {
    await proxy[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const browser = await chromium.launch({
      executablePath: options.executablePath,
      chromiumSandbox: options.sandbox,
      headless: true,
      args: chromiumArgs(proxy.url),
      // Keep Chromium's popup blocker.
      ignoreDefaultArgs: ["--disable-popup-blocking"],
      env: await environmentFor(home),
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      timeout: 20_000,
    });
    const watching = await watchMemory(browser, options.maxPageMemoryBytes);
    return {
      browser,
      proxy,
      close: async () => {
        watching[Symbol.dispose]();
        await browser.close();
        await cleanUp();
      },
    };
  } catch (cause) {
    await cleanUp();
    const hint = options.sandbox
      ? ". If its sandbox does not work here, as in many containers, set sandbox: false"
      : "";
    throw new BiplaneError("EXECUTION_ERROR", `Chromium did not start${hint}.`, { cause });
  }
}

/** Forces all traffic through the proxy: no DNS lookups by the browser, and no UDP. */
function chromiumArgs(proxyUrl: string): string[] {
  return [
    `--proxy-server=${proxyUrl}`,
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-quic",
    // The first switch is for older versions.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--no-pings",
    "--disable-gpu",
    "--disable-domain-reliability",
    // Otherwise the browser reports the forms of pages to its vendor.
    "--autofill-server-url=http://0.0.0.0/",
    "--disable-print-preview",
    "--deny-permission-prompts",
    "--mute-audio",
  ];
}

/** Hides the server's environment, which can contain secrets, and disables programs for links such as mailto:. */
async function environmentFor(home: string): Promise<Record<string, string>> {
  for (const name of ["xdg-open", "xdg-email", "gio", "kde-open", "gnome-open"]) {
    await writeFile(join(home, name), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  }
  const { PATH = "", LANG = "C.UTF-8", SystemRoot } = process.env;
  return {
    PATH: [home, PATH].join(delimiter),
    LANG,
    HOME: home,
    TMPDIR: home,
    XDG_CONFIG_HOME: home,
    XDG_CACHE_HOME: home,
    ...(SystemRoot !== undefined && { SystemRoot }),
  };
}
