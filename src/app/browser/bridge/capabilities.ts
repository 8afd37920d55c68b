import type { Icon } from "./content.ts";

/** What a capability without settings looks like: there or not. */
export type Granted = Readonly<Record<string, unknown>>;

export type DisplayMode = "inline" | "fullscreen" | "pip";

export const displayModes: readonly DisplayMode[] = ["inline", "fullscreen", "pip"];

/** Who a host or a page says it is. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly websiteUrl?: string | undefined;
  readonly icons?: readonly Icon[] | undefined;
}

/** What a page can do, said in `ui/initialize`. */
export interface AppCapabilities {
  readonly experimental?: Readonly<Record<string, object>> | undefined;
  /** Tools that the page itself offers; the messages for it are in the draft only. */
  readonly tools?: { readonly listChanged?: boolean | undefined } | undefined;
  readonly availableDisplayModes?: readonly DisplayMode[] | undefined;
}

/** What a host does for a page, said in its answer. The last four are the draft's: told to pages, asked by none of ours. */
export interface HostCapabilities {
  readonly experimental?: Readonly<Record<string, object>> | undefined;
  readonly openLinks?: Granted | undefined;
  readonly serverTools?: { readonly listChanged?: boolean | undefined } | undefined;
  readonly serverResources?: { readonly listChanged?: boolean | undefined } | undefined;
  readonly logging?: Granted | undefined;
  /** What was granted of what the resource asked for. */
  readonly sandbox?: { readonly permissions?: Permissions | undefined; readonly csp?: Csp | undefined } | undefined;
  readonly updateModelContext?: Modalities | undefined;
  readonly message?: Modalities | undefined;
  readonly downloadFile?: Granted | undefined;
  readonly sampling?: { readonly tools?: Granted | undefined } | undefined;
}

/** Kinds of content a host takes in messages and model context. */
export interface Modalities {
  readonly text?: Granted | undefined;
  readonly image?: Granted | undefined;
  readonly audio?: Granted | undefined;
  readonly resource?: Granted | undefined;
  readonly resourceLink?: Granted | undefined;
  readonly structuredContent?: Granted | undefined;
}

/** Where a page may load from and connect to. Left out means nowhere. */
export interface Csp {
  readonly connectDomains?: readonly string[] | undefined;
  readonly resourceDomains?: readonly string[] | undefined;
  readonly frameDomains?: readonly string[] | undefined;
  readonly baseUriDomains?: readonly string[] | undefined;
}

/** What a page asks of the browser: an empty object for yes. */
export interface Permissions {
  readonly camera?: Granted | undefined;
  readonly microphone?: Granted | undefined;
  readonly geolocation?: Granted | undefined;
  readonly clipboardWrite?: Granted | undefined;
}

/** `_meta.ui` of an app's resource. */
export interface ResourceUi {
  readonly csp?: Csp | undefined;
  readonly permissions?: Permissions | undefined;
  readonly domain?: string | undefined;
  readonly prefersBorder?: boolean | undefined;
}

export type Visibility = "model" | "app";

/** `_meta.ui` of a tool. */
export interface ToolUi {
  readonly resourceUri?: string | undefined;
  readonly visibility?: readonly Visibility[] | undefined;
}

/** What a client that shows apps says of it under the extension's name. */
export interface ClientUi {
  readonly mimeTypes?: readonly string[] | undefined;
}
