import type { CDPSession, Page } from "playwright-core";
import { BiplaneError } from "@biplane/core";
import type { CallerResource } from "../shared/caller/per-caller.ts";
import type { CallerBrowser } from "./chromium.ts";
import { inPlaceScript, readerScript } from "./page-scripts.ts";

/** A page element that can be clicked or typed into. */
export interface PageElement {
  readonly element: number;
  readonly kind: string;
  readonly name: string;
  readonly url?: string;
  readonly value?: string;
  readonly checked?: boolean;
  readonly disabled?: boolean;
  readonly choices?: readonly string[];
}

/** An image or a frame. */
export interface PageNote {
  readonly kind: "image" | "frame";
  readonly name: string;
}

/** The text of a page. One character of it stands for each element, image or frame, whose texts are not cut yet. */
export interface ReadPage {
  readonly title: string;
  readonly content: string;
  readonly inserts: readonly ((PageElement | PageNote) & { readonly at: number })[];
  readonly isWhole: boolean;
}

/** The single page of a caller's browser. A page that hangs is closed. */
export class Tab implements CallerResource {
  readonly #browser: CallerBrowser;
  readonly #page: Page;
  readonly #session: CDPSession;
  readonly #timeoutMs: number;
  #fault: string | undefined;
  /** Rejects the running action when the page has ended. */
  #onFault: ((error: BiplaneError) => void) | undefined;

  private constructor(browser: CallerBrowser, page: Page, options: { session: CDPSession; timeoutMs: number }) {
    this.#browser = browser;
    this.#page = page;
    this.#session = options.session;
    this.#timeoutMs = options.timeoutMs;
    page.on("crash", () => this.#fail("The page crashed or used too much memory, and was closed."));
    page.on("close", () => this.#fail("The browser was closed."));
    // Dismiss dialogs, because no user is present. Accept beforeunload, so that a page cannot block leaving it.
    page.on("dialog", (dialog) => {
      const answered = dialog.type() === "beforeunload" ? dialog.accept() : dialog.dismiss();
      answered.catch(() => undefined); // it may already be closed
    });
    browser.context.on("page", (popup) => void popup.close().catch(() => undefined));
  }

  static async open(browser: CallerBrowser, options: { timeoutMs: number }): Promise<Tab> {
    try {
      await browser.context.addInitScript(inPlaceScript);
      const page = await browser.context.newPage();
      return new Tab(browser, page, { ...options, session: await browser.context.newCDPSession(page) });
    } catch (error) {
      await browser[Symbol.asyncDispose]();
      throw error;
    }
  }

  get isGone(): boolean {
    return this.#fault !== undefined;
  }

  get url(): string {
    return this.#page.url();
  }

  title(): Promise<string> {
    return this.#act(async () => (await this.#page.title()).replaceAll(/\s+/g, " ").trim());
  }

  /** Returns the HTTP status. Undefined if there was no request, as when only the fragment changed. */
  open(url: string): Promise<number | undefined> {
    return this.#act(async () => {
      const response = await this.#page.goto(url, { waitUntil: "domcontentloaded", timeout: this.#timeoutMs });
      await this.#settle();
      return response?.status();
    });
  }

  /** False if there is no previous page. */
  back(): Promise<boolean> {
    return this.#act(async () => {
      const before = this.#page.url();
      await this.#page.goBack({ waitUntil: "domcontentloaded", timeout: this.#timeoutMs });
      await this.#settle();
      return this.#page.url() !== before;
    });
  }

  read(): Promise<ReadPage> {
    return this.#act(async () => (await this.#inPage("biplane.read()")) as ReadPage);
  }

  click(element: number): Promise<void> {
    return this.#act(async () => {
      const { x, y } = withoutFault(await this.#inPage(`biplane.locate(${element})`), element);
      await this.#andFollow(() => this.#page.mouse.click(Number(x), Number(y)));
    });
  }

  type(element: number, text: string, options: { submit: boolean }): Promise<void> {
    return this.#act(async () => {
      const prepared = await this.#inPage(`biplane.prepare(${element}, ${JSON.stringify(text)})`);
      const { type } = withoutFault(prepared, element);
      const { keyboard } = this.#page;
      if (type === true) await (text === "" ? keyboard.press("Delete") : keyboard.insertText(text));
      if (options.submit) await this.#andFollow(() => keyboard.press("Enter"));
    });
  }

  screenshot(): Promise<Buffer> {
    return this.#act(() => this.#page.screenshot({ type: "png", timeout: this.#timeoutMs, caret: "initial" }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#fail("The browser was closed.");
    await this.#browser[Symbol.asyncDispose]();
  }

  #fail(fault: string): void {
    this.#fault ??= fault;
    this.#onFault?.(new BiplaneError("EXECUTION_ERROR", this.#fault));
  }

  /** Runs an action with a time limit, and translates its errors. */
  async #act<T>(action: () => Promise<T>): Promise<T> {
    if (this.#fault !== undefined) throw new BiplaneError("EXECUTION_ERROR", this.#fault);
    const hangs = new BiplaneError("TIMEOUT", "The page did not respond and was closed.");
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<never>((_, reject) => {
      this.#onFault = reject;
      timer = setTimeout(
        () => {
          reject(hangs);
          this.#fail(hangs.message);
        },
        this.#timeoutMs + Math.min(this.#timeoutMs, maxGraceMs),
      );
    });
    try {
      return await Promise.race([action(), over]);
    } catch (error) {
      throw this.#explain(error);
    } finally {
      clearTimeout(timer);
      this.#onFault = undefined;
    }
  }

  #explain(error: unknown): BiplaneError {
    if (error instanceof BiplaneError) return error;
    if (this.#fault !== undefined) return new BiplaneError("EXECUTION_ERROR", this.#fault, { cause: error });
    const message = error instanceof Error ? error.message : "";
    if (error instanceof Error && error.name === "TimeoutError") {
      return new BiplaneError("TIMEOUT", `The page did not load within ${this.#timeoutMs / 1000} s.`, { cause: error });
    }
    const code = /net::(ERR_[A-Z_]+)/.exec(message)?.[1];
    const why = code === undefined ? "the browser failed" : (reasons[code] ?? `it failed (${code})`);
    return new BiplaneError("EXECUTION_ERROR", `The page could not be loaded: ${why}.`, { cause: error });
  }

  /** Evaluates in an isolated world, which the page cannot reach. */
  async #inPage(expression: string): Promise<unknown> {
    const { frameTree } = await this.#session.send("Page.getFrameTree");
    const world = { frameId: frameTree.frame.id, worldName: "biplane" };
    const { executionContextId } = await this.#session.send("Page.createIsolatedWorld", world);
    const { result, exceptionDetails } = await this.#session.send("Runtime.evaluate", {
      contextId: executionContextId,
      expression: `${readerScript}\n${expression}`,
      returnByValue: true,
    });
    if (exceptionDetails) {
      throw new BiplaneError("EXECUTION_ERROR", "The page cannot be read.", { cause: exceptionDetails });
    }
    return result.value;
  }

  /** Runs an action that may navigate, and waits for the new page. */
  async #andFollow(action: () => Promise<void>): Promise<void> {
    const page = this.#page;
    const isOurs = (request: { isNavigationRequest(): boolean; frame(): unknown }) =>
      request.isNavigationRequest() && request.frame() === page.mainFrame();
    const leaves = page.waitForRequest(isOurs, { timeout: this.#timeoutMs }).catch(() => undefined);
    const arrives = Promise.race([
      page.waitForEvent("framenavigated", { predicate: (frame) => frame === page.mainFrame(), timeout: maxWaitMs }),
      page.waitForEvent("requestfailed", { predicate: isOurs, timeout: maxWaitMs }),
    ]).catch(() => undefined);
    await action();
    const pause = page.waitForTimeout(navigationStartMs).then(() => undefined);
    if (await Promise.race([leaves, pause])) await arrives;
    await this.#settle();
  }

  /** Waits until the page has loaded, for a limited time. */
  async #settle(): Promise<void> {
    await this.#page.waitForLoadState("load", { timeout: settleMs }).catch(() => undefined);
  }
}

/** Extra time beyond the load timeout before a page counts as hanging. */
const maxGraceMs = 3000;
/** How long to wait for a click to start a navigation. */
const navigationStartMs = 250;
const maxWaitMs = 10_000;
const settleMs = 3000;

function withoutFault(answer: unknown, element: number): Readonly<Record<string, unknown>> {
  const given = answer as Readonly<Record<string, unknown>>;
  if (typeof given["fault"] !== "string") return given;
  throw new BiplaneError("EXECUTION_ERROR", `Element ${element} ${faults[given["fault"]] ?? "cannot be used"}.`);
}

const faults: Readonly<Record<string, string>> = {
  missing: "is not on this page. Read the page again with browser_read",
  disabled: "is disabled or read-only",
  hidden: "is not visible, so it cannot be clicked",
  covered: "is covered by another element. Look at the page with browser_screenshot",
  "no field": "is not a text field. Use browser_click",
  "no such choice": "has no such option. browser_read lists its options",
  misfit: "does not accept this value. Write a date as 2030-12-31, a time as 23:59, a colour as #ff8800",
};

const reasons: Readonly<Record<string, string>> = {
  ERR_TUNNEL_CONNECTION_FAILED: "it cannot be reached or is not allowed",
  ERR_EMPTY_RESPONSE: "it closed the connection",
  ERR_CONNECTION_RESET: "it closed the connection",
  ERR_CONNECTION_CLOSED: "it closed the connection",
  ERR_ABORTED: "it is a download or has no content",
  ERR_TOO_MANY_REDIRECTS: "it redirects too often",
  ERR_CERT_AUTHORITY_INVALID: "its certificate is not trusted",
  ERR_CERT_COMMON_NAME_INVALID: "its certificate is for another host",
  ERR_CERT_DATE_INVALID: "its certificate has expired",
  ERR_SSL_PROTOCOL_ERROR: "it does not speak TLS",
};
