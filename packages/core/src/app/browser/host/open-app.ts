import { BiplaneError } from "../../../errors.ts";
import type { AppPermission } from "../../../tool/mcp-apps.ts";
import type { Implementation } from "../bridge/capabilities.ts";
import type { HostContext } from "../bridge/context.ts";
import { AppFrame } from "./app-frame.ts";
import type { AppEvents } from "./app-frame.ts";
import { defaultLimits } from "./limits.ts";
import type { AppLimits } from "./limits.ts";
import type { AppResource } from "./resource-of.ts";

export interface OpenAppOptions extends AppEvents {
  /** The element that gets the frame. */
  readonly container: HTMLElement;
  /**
   * The origin where apps run, different from the page's. With `{app}`, as in `http://{app}.localhost:8000`, each app
   * gets its own origin. Its server serves `/sandbox`.
   */
  readonly sandbox: string;
  readonly resource: AppResource;
  /** The tool call that the app is shown for. */
  readonly tool?: HostContext["toolInfo"];
  /** Name and version of this host, sent to the app. */
  readonly hostInfo: Implementation;
  /** Theme, locale, available space and so on. `tool` is added to it. */
  readonly context?: HostContext;
  /** Permissions that apps get if they request them (default: none). */
  readonly permissions?: readonly AppPermission[];
  readonly limits?: Partial<AppLimits>;
  /** Aborts opening. To close an open app, call `teardown`. */
  readonly signal?: AbortSignal;
  readonly now?: () => number;
}

/** Shows an app in two nested frames. Resolves when the sandbox has received its page. */
export async function openApp(options: OpenAppOptions): Promise<AppFrame> {
  const { resource, server, signal, tool } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const hasOwnOrigin = options.sandbox.includes("{app}");
  const label = hasOwnOrigin ? await appLabel(server.id, resource.uri) : "";
  const origin = new URL(options.sandbox.replace("{app}", label)).origin;
  if (origin === window.location.origin)
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `The sandbox cannot be at ${origin}, the origin of this page. Use another origin.`,
    );
  signal?.throwIfAborted();
  const frame = new AppFrame({
    ...options,
    limits,
    now: options.now ?? Date.now,
    context: { displayMode: "inline", ...options.context, ...(tool && { toolInfo: tool }) },
    sandbox: {
      container: options.container,
      origin,
      hasOwnOrigin,
      resource,
      permissions: options.permissions ?? [],
      openMs: limits.openMs,
    },
  });
  const giveUp = () => void frame.teardown();
  signal?.addEventListener("abort", giveUp);
  try {
    return await frame.opened();
  } finally {
    signal?.removeEventListener("abort", giveUp);
  }
}

/**
 * The host name label of an app. It differs for every server, and stays the same when the page changes, so that the
 * app keeps its storage.
 */
async function appLabel(server: string, uri: string): Promise<string> {
  // Browsers offer `crypto.subtle` only in secure contexts.
  if (!("subtle" in crypto))
    throw new BiplaneError("NOT_SUPPORTED", "Apps need a page that was loaded over https or from localhost.");
  const name = uri.replace(/@[0-9a-f]{12}$/, "");
  const bytes = new TextEncoder().encode(JSON.stringify([server, name]));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
