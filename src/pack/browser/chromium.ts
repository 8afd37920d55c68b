import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Browser, BrowserContext } from "playwright-core";
import { BiplaneError } from "../../errors.ts";
import type { Guard } from "../net/guard.ts";
import { GuardedProxy } from "./guarded-proxy.ts";
import type { ProxyPass } from "./guarded-proxy.ts";
import { watchMemory } from "./watch-memory.ts";

export interface ChromiumOptions {
  readonly executablePath: string;
  readonly sandbox: boolean;
  readonly guard: Guard;
  readonly maxBytes: number;
  readonly maxPageMemoryBytes: number;
}

/** A caller's part of the browser, with cookies of its own; to be closed by whoever opened it. */
export interface BrowserPart extends AsyncDisposable {
  readonly context: BrowserContext;
}

/** One Chromium process for all callers. It starts with the first of them and ends with the last. */
export class Chromium implements AsyncDisposable {
  readonly #options: ChromiumOptions;
  #current: Occupied | undefined;

  constructor(options: ChromiumOptions) {
    this.#options = options;
  }

  async open(): Promise<BrowserPart> {
    const current = (this.#current ??= this.#start());
    current.parts++;
    let pass: ProxyPass | undefined;
    const leave = async () => {
      pass?.revoke();
      if (--current.parts === 0) await this.#end(current);
    };
    try {
      const { browser, proxy } = await current.running;
      pass = proxy.admit();
      const { username, password } = pass;
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
          await leave();
        },
      };
    } catch (error) {
      await leave();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#current) await this.#end(this.#current);
  }

  #start(): Occupied {
    const current = { running: start(this.#options), parts: 0 };
    const forget = () => {
      if (this.#current === current) this.#current = undefined;
    };
    current.running.then(({ browser }) => browser.once("disconnected", forget), forget);
    return current;
  }

  async #end(current: Occupied): Promise<void> {
    if (this.#current === current) this.#current = undefined;
    await current.running.then(
      (running) => running.close(),
      () => undefined, // what never started needs no ending
    );
  }
}

/** A process, and for how many callers it is there. */
interface Occupied {
  readonly running: Promise<Running>;
  parts: number;
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
  const clear = async () => {
    await proxy[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const browser = await chromium.launch({
      executablePath: options.executablePath,
      chromiumSandbox: options.sandbox,
      headless: true,
      args: switches(proxy.url),
      // Chromium's own blocker of popups is wanted here.
      ignoreDefaultArgs: ["--disable-popup-blocking"],
      env: await surroundings(home),
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
        await clear();
      },
    };
  } catch (cause) {
    await clear();
    const hint = options.sandbox ? "; where its sandbox cannot work, as in many containers, set sandbox: false" : "";
    throw new BiplaneError("EXECUTION_ERROR", `Chromium did not start${hint}`, { cause });
  }
}

/** Everything goes through the proxy or nowhere: no names are looked up by the browser, and nothing goes by UDP. */
function switches(proxyUrl: string): string[] {
  return [
    `--proxy-server=${proxyUrl}`,
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-quic",
    // The first name is that of older ones.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--no-pings",
    "--disable-gpu",
    "--disable-domain-reliability",
    // Else the browser tells its maker of every form that a page has.
    "--autofill-server-url=http://0.0.0.0/",
    "--disable-print-preview",
    "--deny-permission-prompts",
    "--mute-audio",
  ];
}

/** None of our own environment, which may hold secrets; and no program for links such as mailto: to be opened with. */
async function surroundings(home: string): Promise<Record<string, string>> {
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
