import { BiplaneError } from "../../../errors.ts";
import type { Permissions, Implementation } from "../bridge/capabilities.ts";
import type { HostContext } from "../bridge/context.ts";
import { AppFrame } from "./app-frame.ts";
import type { AppEvents } from "./app-frame.ts";
import { defaultLimits } from "./limits.ts";
import type { AppLimits } from "./limits.ts";
import type { AppResource } from "./resource-of.ts";

export interface OpenAppOptions extends AppEvents {
  /** What the frame is put into. */
  readonly container: HTMLElement;
  /**
   * Where apps run, another origin than the page's: `http://{app}.localhost:8000`, with an origin for each app, or one for
   * all of them. It answers at `/sandbox`.
   */
  readonly sandbox: string;
  readonly resource: AppResource;
  /** The call that the app is shown for. */
  readonly tool?: HostContext["toolInfo"];
  /** Who the app is told that we are. */
  readonly hostInfo: Implementation;
  /** Theme, locale, room there is: whatever the page knows. `tool` is added to it. */
  readonly context?: HostContext;
  /** What apps may be given of the browser when they ask: nothing, unless said. */
  readonly permissions?: readonly (keyof Permissions)[];
  readonly limits?: Partial<AppLimits>;
  /** Gives up the opening. An app that is there is closed by `teardown`. */
  readonly signal?: AbortSignal;
  readonly now?: () => number;
}

/** Shows an app in two frames, one in the other, and resolves when its page is on its way there. */
export async function openApp(options: OpenAppOptions): Promise<AppFrame> {
  const { resource, server, signal, tool } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const hasOwnOrigin = options.sandbox.includes("{app}");
  const label = hasOwnOrigin ? await appLabel(server.id, resource.uri) : "";
  const origin = new URL(options.sandbox.replace("{app}", label)).origin;
  if (origin === window.location.origin)
    throw new BiplaneError("INVALID_DEFINITION", `apps cannot run at ${origin}: the sandbox needs another origin`);
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
 * The name of an app's origin. It stays the same when the page changes, so that what the app stored is still there, and is
 * another for every server.
 */
async function appLabel(server: string, uri: string): Promise<string> {
  // Browsers have it only on pages that nobody on the way can change.
  if (!("subtle" in crypto))
    throw new BiplaneError("NOT_SUPPORTED", "apps need a page that came over https or from this machine");
  const name = uri.replace(/@[0-9a-f]{12}$/, "");
  const bytes = new TextEncoder().encode(JSON.stringify([server, name]));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
