import type { CDPSession, Page } from "playwright-core";
import { BiplaneError } from "../../errors.ts";
import type { Kept } from "../caller/per-caller.ts";
import type { BrowserPart } from "./chromium.ts";
import { inPlaceScript, readerScript } from "./page-scripts.ts";

/** Something on a page that can be clicked or typed into. */
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

/** What a page says, with its elements where they stand in the text. */
export interface ReadPage {
  readonly title: string;
  readonly content: string;
  readonly elements: readonly (PageElement & { readonly at: number })[];
  readonly isWhole: boolean;
}

/** The one page of a caller's browser. Nothing it does takes longer than it may: a page that hangs is closed. */
export class Tab implements Kept {
  readonly #part: BrowserPart;
  readonly #page: Page;
  readonly #session: CDPSession;
  readonly #timeoutMs: number;
  #fault: string | undefined;
  /** Ends what is being done, when the page has ended. */
  #onFault: ((error: BiplaneError) => void) | undefined;

  private constructor(part: BrowserPart, page: Page, options: { session: CDPSession; timeoutMs: number }) {
    this.#part = part;
    this.#page = page;
    this.#session = options.session;
    this.#timeoutMs = options.timeoutMs;
    page.on("crash", () => this.#fail("the page crashed or took too much memory, and was closed"));
    page.on("close", () => this.#fail("the browser was closed"));
    // Nobody is there to answer; whether a page wants to be left is not the page's to say.
    page.on("dialog", (dialog) => {
      const answered = dialog.type() === "beforeunload" ? dialog.accept() : dialog.dismiss();
      answered.catch(() => undefined); // it may be gone already
    });
    part.context.on("page", (popup) => void popup.close().catch(() => undefined));
  }

  static async open(part: BrowserPart, options: { timeoutMs: number }): Promise<Tab> {
    try {
      await part.context.addInitScript(inPlaceScript);
      const page = await part.context.newPage();
      return new Tab(part, page, { ...options, session: await part.context.newCDPSession(page) });
    } catch (error) {
      await part[Symbol.asyncDispose]();
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
    return this.#act(async () => (await this.#page.title()).replaceAll(/\s+/g, " ").trim().slice(0, 500));
  }

  /** Gives the status of the answer; nothing where the page had none, as when only the part after `#` changed. */
  open(url: string): Promise<number | undefined> {
    return this.#act(async () => {
      const response = await this.#page.goto(url, { waitUntil: "domcontentloaded", timeout: this.#timeoutMs });
      await this.#settle();
      return response?.status();
    });
  }

  /** Says whether there was a page before this one. */
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
      const { x, y } = placeOf(await this.#inPage(`biplane.locate(${element})`), element);
      await this.#following(() => this.#page.mouse.click(x, y));
    });
  }

  type(element: number, text: string, options: { submit: boolean }): Promise<void> {
    return this.#act(async () => {
      const prepared = await this.#inPage(`biplane.prepare(${element}, ${JSON.stringify(text)})`);
      const { type } = withoutFault(prepared, element);
      const { keyboard } = this.#page;
      if (type === true) await (text === "" ? keyboard.press("Delete") : keyboard.insertText(text));
      if (options.submit) await this.#following(() => keyboard.press("Enter"));
    });
  }

  screenshot(): Promise<Buffer> {
    return this.#act(() => this.#page.screenshot({ type: "png", timeout: this.#timeoutMs, caret: "initial" }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#fail("the browser was closed");
    await this.#part[Symbol.asyncDispose]();
  }

  #fail(fault: string): void {
    this.#fault ??= fault;
    this.#onFault?.(new BiplaneError("EXECUTION_ERROR", this.#fault));
  }

  /** Does something on the page within its time, and says in our words what went wrong. */
  async #act<T>(action: () => Promise<T>): Promise<T> {
    if (this.#fault !== undefined) throw new BiplaneError("EXECUTION_ERROR", this.#fault);
    const hangs = new BiplaneError("TIMEOUT", "the page did not answer and was closed");
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<never>((_, reject) => {
      this.#onFault = reject;
      timer = setTimeout(
        () => {
          reject(hangs);
          this.#fail(hangs.message);
        },
        this.#timeoutMs + Math.min(this.#timeoutMs, longestGraceMs),
      );
    });
    try {
      return await Promise.race([action(), over]);
    } catch (error) {
      throw this.#explained(error);
    } finally {
      clearTimeout(timer);
      this.#onFault = undefined;
    }
  }

  #explained(error: unknown): BiplaneError {
    if (error instanceof BiplaneError) return error;
    if (this.#fault !== undefined) return new BiplaneError("EXECUTION_ERROR", this.#fault, { cause: error });
    const message = error instanceof Error ? error.message : "";
    if (error instanceof Error && error.name === "TimeoutError") {
      return new BiplaneError("TIMEOUT", `the page did not load within ${this.#timeoutMs / 1000} s`, { cause: error });
    }
    const code = /net::(ERR_[A-Z_]+)/.exec(message)?.[1];
    const why = code === undefined ? "the browser could not do it" : (reasons[code] ?? `it failed (${code})`);
    return new BiplaneError("EXECUTION_ERROR", `the page could not be loaded: ${why}`, { cause: error });
  }

  /** Evaluates in a world that the page cannot reach; it lasts as long as the document. */
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
      throw new BiplaneError("EXECUTION_ERROR", "the page cannot be read", { cause: exceptionDetails });
    }
    return result.value;
  }

  /** Does something that may lead to another page, and waits until that is there. */
  async #following(action: () => Promise<void>): Promise<void> {
    const page = this.#page;
    const isOurs = (request: { isNavigationRequest(): boolean; frame(): unknown }) =>
      request.isNavigationRequest() && request.frame() === page.mainFrame();
    const leaves = page.waitForRequest(isOurs, { timeout: this.#timeoutMs }).catch(() => undefined);
    const arrives = Promise.race([
      page.waitForEvent("framenavigated", { predicate: (frame) => frame === page.mainFrame(), timeout: longestMs }),
      page.waitForEvent("requestfailed", { predicate: isOurs, timeout: longestMs }),
    ]).catch(() => undefined);
    await action();
    const pause = page.waitForTimeout(momentMs).then(() => undefined);
    if (await Promise.race([leaves, pause])) await arrives;
    await this.#settle();
  }

  /** A page is worth reading when it has loaded, or has had a while to. */
  async #settle(): Promise<void> {
    await this.#page.waitForLoadState("load", { timeout: settleMs }).catch(() => undefined);
  }
}

/** Beyond the time a page has to load: by then it hangs. */
const longestGraceMs = 3000;
/** How soon a click that leads elsewhere begins to do so. */
const momentMs = 250;
const longestMs = 10_000;
const settleMs = 3000;

function placeOf(located: unknown, element: number): { x: number; y: number } {
  const { x, y } = withoutFault(located, element);
  return { x: Number(x), y: Number(y) };
}

function withoutFault(answer: unknown, element: number): Readonly<Record<string, unknown>> {
  const given = answer as Readonly<Record<string, unknown>>;
  if (typeof given["fault"] !== "string") return given;
  throw new BiplaneError("EXECUTION_ERROR", `element ${element} ${faults[given["fault"]] ?? "cannot be used"}`);
}

const faults: Readonly<Record<string, string>> = {
  missing: "is not on this page; browser_read says what is",
  disabled: "cannot be used now: it is disabled or read-only",
  hidden: "cannot be seen, so it cannot be clicked",
  covered: "is covered by something else; browser_screenshot shows by what",
  "no field": "is nothing to type into; use browser_click",
  "no such choice": "has no such choice; browser_read says which there are",
  misfit: "does not take this value; a date is 2030-12-31, a time 23:59, a colour #ff8800",
};

const reasons: Readonly<Record<string, string>> = {
  ERR_TUNNEL_CONNECTION_FAILED: "it cannot be reached, or may not be",
  ERR_EMPTY_RESPONSE: "it ended the connection",
  ERR_CONNECTION_RESET: "it ended the connection",
  ERR_CONNECTION_CLOSED: "it ended the connection",
  ERR_ABORTED: "it is a download, or leads nowhere",
  ERR_TOO_MANY_REDIRECTS: "it sends the browser in circles",
  ERR_CERT_AUTHORITY_INVALID: "its certificate is not trusted",
  ERR_CERT_COMMON_NAME_INVALID: "its certificate is for another host",
  ERR_CERT_DATE_INVALID: "its certificate has expired",
  ERR_SSL_PROTOCOL_ERROR: "it does not speak TLS",
};
