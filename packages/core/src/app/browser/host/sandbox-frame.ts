import { BiplaneError } from "../../../errors.ts";
import type { AppCsp, AppPermission } from "../../../tool/mcp-apps.ts";
import type { Permissions } from "../bridge/capabilities.ts";
import { methods, sandboxPrefix } from "../bridge/methods.ts";
import { readCsp, readPermissions } from "../bridge/read-meta.ts";
import { isNotification } from "../bridge/rpc.ts";
import type { Params } from "../../../protocol/rpc.ts";
import type { AppResource } from "./resource-of.ts";
import { grantCsp } from "./csp-grant.ts";
import type { DroppedSource } from "./csp-grant.ts";
import { allowAttribute, grantPermissions } from "./permissions.ts";
import { isRecord } from "../../../is-record.ts";

/** What the app may do in its sandbox. */
export interface SandboxGrant {
  readonly csp: AppCsp;
  readonly permissions: Permissions;
}

export interface SandboxFrameOptions {
  readonly container: HTMLElement;
  /** The origin of this app's sandbox. */
  readonly origin: string;
  readonly hasOwnOrigin: boolean;
  readonly resource: AppResource;
  /** Permissions that the app gets if it requests them. */
  readonly permissions: readonly AppPermission[];
  readonly openMs: number;
  readonly onGranted: (granted: SandboxGrant, dropped: readonly DroppedSource[]) => void;
  /** Receives every message of the app, unchecked. */
  readonly onMessage: (data: unknown) => void;
  /** Called when the app or the sandbox page navigated away. */
  readonly onLeft: (reason: string) => void;
}

/** The outer frame, on another origin. Its page contains the app in an inner frame. */
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
    const requested = this.#requested();
    this.element = outerFrame(requested, this.#src(requested));
    this.element.addEventListener("load", () => {
      if (++this.#loads > 1) options.onLeft("its sandbox navigated to another page");
    });
    window.addEventListener("message", this.#receive);
    const late = () =>
      settle(
        new BiplaneError("TIMEOUT", `The sandbox at ${options.origin} did not answer within ${options.openMs} ms.`),
      );
    this.#timer = setTimeout(late, options.openMs);
    options.container.append(this.element);
  }

  /** Posts only if the frame still shows the sandbox's origin. */
  post(message: object): void {
    this.element.contentWindow?.postMessage(message, this.#options.origin);
  }

  remove(): void {
    window.removeEventListener("message", this.#receive);
    clearTimeout(this.#timer);
    this.element.remove();
    this.#opened(new BiplaneError("CANCELLED", "The app was closed before it had loaded."));
  }

  readonly #receive = (event: MessageEvent<unknown>): void => {
    if (event.source === null || event.source !== this.element.contentWindow) return;
    if (event.origin !== this.#options.origin) return;
    const { data } = event;
    if (isNotification(data) && data.method.startsWith(sandboxPrefix)) this.#fromProxy(data.method, data.params ?? {});
    else if (this.#isReady) this.#options.onMessage(data);
  };

  #fromProxy(method: string, params: Params): void {
    if (method === leftMethod && this.#isReady) this.#options.onLeft("it navigated to another page");
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

  /** The filtered request. The sandbox server filters it again. */
  #requested(): SandboxGrant & { dropped: readonly DroppedSource[] } {
    const { resource, permissions, origin } = this.#options;
    const { csp, dropped } = grantCsp(resource.csp, { never: [window.location.origin, origin] });
    return { csp, dropped, permissions: grantPermissions(resource.permissions, permissions) };
  }

  /** Biplane's sandbox reports what it granted. For any other, assume the request. */
  #granted(reported: Params): { granted: SandboxGrant; dropped: readonly DroppedSource[] } {
    const requested = this.#requested();
    const csp = isRecord(reported["csp"]) ? (readCsp(reported["csp"]) ?? {}) : requested.csp;
    const permissions = isRecord(reported["permissions"])
      ? (readPermissions(reported["permissions"]) ?? {})
      : requested.permissions;
    const more = Array.isArray(reported["dropped"]) ? (reported["dropped"] as DroppedSource[]) : [];
    return { granted: { csp, permissions }, dropped: [...requested.dropped, ...more] };
  }

  #src({ csp, permissions }: SandboxGrant): string {
    const url = new URL("/sandbox", this.#options.origin);
    url.searchParams.set("host", window.location.origin);
    if (Object.keys(csp).length > 0) url.searchParams.set("csp", JSON.stringify(csp));
    if (Object.keys(permissions).length > 0) url.searchParams.set("permissions", JSON.stringify(permissions));
    return url.href;
  }
}

const leftMethod = `${sandboxPrefix}view-left`;

function outerFrame({ permissions }: SandboxGrant, src: string): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
  frame.setAttribute("allow", allowAttribute(permissions));
  frame.setAttribute("title", "App");
  frame.referrerPolicy = "no-referrer";
  // If the color schemes of page and frame differ, browsers paint an opaque background.
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
