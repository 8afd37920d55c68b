import type { Icon } from "../../../tool/icon.ts";
import type { AppCsp, AppPermission, Visibility } from "../../../tool/mcp-apps.ts";

/** A capability without settings. An object, possibly empty, means that it is available. */
export type CapabilityFlag = Readonly<Record<string, unknown>>;

export type DisplayMode = "inline" | "fullscreen" | "pip";

export const displayModes: readonly DisplayMode[] = ["inline", "fullscreen", "pip"];

/** Name and version of a host or a page. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly websiteUrl?: string | undefined;
  readonly icons?: readonly Icon[] | undefined;
}

/** Capabilities that a page declares in `ui/initialize`. */
export interface AppCapabilities {
  readonly experimental?: Readonly<Record<string, object>> | undefined;
  /** Tools of the page itself. Only the draft has messages for them. */
  readonly tools?: { readonly listChanged?: boolean | undefined } | undefined;
  readonly availableDisplayModes?: readonly DisplayMode[] | undefined;
}

/** Capabilities that a host declares in its response. The last four are only in the draft. */
export interface HostCapabilities {
  readonly experimental?: Readonly<Record<string, object>> | undefined;
  readonly openLinks?: CapabilityFlag | undefined;
  readonly serverTools?: { readonly listChanged?: boolean | undefined } | undefined;
  readonly serverResources?: { readonly listChanged?: boolean | undefined } | undefined;
  readonly logging?: CapabilityFlag | undefined;
  /** The granted part of what the resource requested. */
  readonly sandbox?: { readonly permissions?: Permissions | undefined; readonly csp?: AppCsp | undefined } | undefined;
  readonly updateModelContext?: Modalities | undefined;
  readonly message?: Modalities | undefined;
  readonly downloadFile?: CapabilityFlag | undefined;
  readonly sampling?: { readonly tools?: CapabilityFlag | undefined } | undefined;
}

/** Kinds of content a host accepts in messages and model context. */
export interface Modalities {
  readonly text?: CapabilityFlag | undefined;
  readonly image?: CapabilityFlag | undefined;
  readonly audio?: CapabilityFlag | undefined;
  readonly resource?: CapabilityFlag | undefined;
  readonly resourceLink?: CapabilityFlag | undefined;
  readonly structuredContent?: CapabilityFlag | undefined;
}

/** Browser features that a page requests or gets. An empty object means yes. */
export type Permissions = { readonly [Name in AppPermission]?: CapabilityFlag | undefined };

/** `_meta.ui` of an app's resource. */
export interface ResourceUiMeta {
  readonly csp?: AppCsp | undefined;
  readonly permissions?: Permissions | undefined;
  readonly domain?: string | undefined;
  readonly prefersBorder?: boolean | undefined;
}

/** `_meta.ui` of a tool. */
export interface ToolUiMeta {
  readonly resourceUri?: string | undefined;
  readonly visibility?: readonly Visibility[] | undefined;
}
