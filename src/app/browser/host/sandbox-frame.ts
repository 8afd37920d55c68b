import { BiplaneError } from "../../../errors.ts";
import type { Csp, Permissions } from "../bridge/capabilities.ts";
import { methods, sandboxPrefix } from "../bridge/methods.ts";
import { readCsp, readPermissions } from "../bridge/read-meta.ts";
import { isNotification, isRecord } from "../bridge/rpc.ts";
import type { Params } from "../../../protocol/rpc.ts";
import type { AppResource } from "./resource-of.ts";
import { grantCsp } from "./csp-grant.ts";
import type { DroppedSource } from "./csp-grant.ts";
import { allowAttribute, grantPermissions } from "./permissions.ts";

/** What the sandbox lets the app do. */
export interface Granted {
  readonly csp: Csp;
  readonly permissions: Permissions;
}

export interface SandboxFrameOptions {
  readonly container: HTMLElement;
  /** The origin of this app's sandbox. */
  readonly origin: string;
  readonly hasOwnOrigin: boolean;
  readonly resource: AppResource;
  /** What the page is ready to give an app that asks. */
  readonly permissions: readonly (keyof Permissions)[];
  readonly openMs: number;
  readonly onGranted: (granted: Granted, dropped: readonly DroppedSource[]) => void;
  /** Everything from the app, as it came. */
  readonly onMessage: (data: unknown) => void;
  /** The app, or the page around it, is no longer there. */
  readonly onLeft: (reason: string) => void;
}

/** The outer frame: another origin, whose page holds the app in a frame of its own. Only that page is listened to. */
export class SandboxFrame {
  readonly element: HTMLIFrameElement;
  readonly #options: SandboxFrameOptions;
  readonly #opened: (error?: Error) => void;
  readonly opened: Promise<void>;
  readonly #timer: ReturnType<typeof setTimeout>;
  #isReady = false;
  #loads = 0;

  constructor(options: SandboxFrameOptions) {
    this.#options = options;
    const { promise, settle } = latch();
    this.opened = promise;
    this.#opened = settle;
    const asked = this.#asked();
    this.element = outerFrame(asked, this.#src(asked));
    this.element.addEventListener("load", () => {
      if (++this.#loads > 1) options.onLeft("its sandbox went to another page");
    });
    window.addEventListener("message", this.#receive);
    const late = () => settle(new BiplaneError("TIMEOUT", `the sandbox at ${options.origin} did not answer`));
    this.#timer = setTimeout(late, options.openMs);
    options.container.append(this.element);
  }

  /** Posts to the sandbox's page and to no other that may stand in its place. */
  post(message: object): void {
    this.element.contentWindow?.postMessage(message, this.#options.origin);
  }

  remove(): void {
    window.removeEventListener("message", this.#receive);
    clearTimeout(this.#timer);
    this.element.remove();
    this.#opened(new BiplaneError("CANCELLED", "the app was closed before it was there"));
  }

  readonly #receive = (event: MessageEvent<unknown>): void => {
    if (event.source === null || event.source !== this.element.contentWindow) return;
    if (event.origin !== this.#options.origin) return;
    const { data } = event;
    if (isNotification(data) && data.method.startsWith(sandboxPrefix)) this.#fromProxy(data.method, data.params ?? {});
    else if (this.#isReady) this.#options.onMessage(data);
  };

  #fromProxy(method: string, params: Params): void {
    if (method === leftMethod && this.#isReady) this.#options.onLeft("it went to another page");
    if (method !== methods.sandboxProxyReady || this.#isReady) return;
    this.#isReady = true;
    clearTimeout(this.#timer);
    const { resource, hasOwnOrigin, onGranted } = this.#options;
    const { granted, dropped } = this.#granted(params);
    onGranted(granted, dropped);
    const flags = `allow-scripts allow-forms${resource.sameOrigin && hasOwnOrigin ? " allow-same-origin" : ""}`;
    const shown = { html: resource.html, sandbox: flags, ...granted };
    this.post({ jsonrpc: "2.0", method: methods.sandboxResourceReady, params: shown });
    this.#opened();
  }

  /** What we ask for, filtered. The server that makes the header filters again. */
  #asked(): Granted & { dropped: readonly DroppedSource[] } {
    const { resource, permissions, origin } = this.#options;
    const { csp, dropped } = grantCsp(resource.csp, { never: [window.location.origin, origin] });
    return { csp, dropped, permissions: grantPermissions(resource.permissions, permissions) };
  }

  /** Our own sandbox says what it put into its headers. Another one's word is what we asked for. */
  #granted(said: Params): { granted: Granted; dropped: readonly DroppedSource[] } {
    const asked = this.#asked();
    const csp = isRecord(said["csp"]) ? (readCsp(said["csp"]) ?? {}) : asked.csp;
    const permissions = isRecord(said["permissions"])
      ? (readPermissions(said["permissions"]) ?? {})
      : asked.permissions;
    const more = Array.isArray(said["dropped"]) ? (said["dropped"] as DroppedSource[]) : [];
    return { granted: { csp, permissions }, dropped: [...asked.dropped, ...more] };
  }

  #src({ csp, permissions }: Granted): string {
    const url = new URL("/sandbox", this.#options.origin);
    url.searchParams.set("host", window.location.origin);
    if (Object.keys(csp).length > 0) url.searchParams.set("csp", JSON.stringify(csp));
    if (Object.keys(permissions).length > 0) url.searchParams.set("permissions", JSON.stringify(permissions));
    return url.href;
  }
}

const leftMethod = `${sandboxPrefix}view-left`;

function outerFrame({ permissions }: Granted, src: string): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
  frame.setAttribute("allow", allowAttribute(permissions));
  frame.setAttribute("title", "App");
  frame.referrerPolicy = "no-referrer";
  // Else a dark page would give a light app an opaque ground, and the other way round.
  Object.assign(frame.style, { border: "0", display: "block", width: "100%", colorScheme: "light" });
  frame.src = src;
  return frame;
}

function latch(): { promise: Promise<void>; settle: (error?: Error) => void } {
  let settle: (error?: Error) => void = () => {};
  const promise = new Promise<void>((resolve, reject) => {
    settle = (error) => (error ? reject(error) : resolve());
  });
  return { promise, settle };
}
