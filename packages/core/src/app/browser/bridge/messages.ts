import type { Params, RpcId } from "../../../protocol/rpc.ts";
import type { Content } from "../../../tool/content.ts";
import type { LogLevel } from "../../../tool/log-level.ts";
import type { AppCsp } from "../../../tool/mcp-apps.ts";
import type { AppCapabilities, DisplayMode, HostCapabilities, Implementation, Permissions } from "./capabilities.ts";
import type { AppReadResult, AppToolResult } from "./content.ts";
import type { HostContext } from "./context.ts";

/** Requests from a page to its host, by method. */
export interface ViewRequests {
  readonly "ui/initialize": { readonly params: InitializeParams; readonly result: InitializeResult };
  readonly "ui/open-link": { readonly params: OpenLinkParams; readonly result: Attempt };
  readonly "ui/message": { readonly params: MessageParams; readonly result: Attempt };
  readonly "ui/update-model-context": { readonly params: ModelContextParams; readonly result: Params };
  readonly "ui/request-display-mode": { readonly params: DisplayModeParams; readonly result: DisplayModeResult };
  readonly "tools/call": { readonly params: CallToolParams; readonly result: AppToolResult };
  readonly "resources/read": { readonly params: ReadResourceParams; readonly result: AppReadResult };
  readonly ping: { readonly params: Params; readonly result: Params };
}

export interface ViewNotifications {
  readonly "ui/notifications/initialized": Params;
  readonly "ui/notifications/size-changed": SizeParams;
  readonly "notifications/message": LogParams;
  readonly "notifications/cancelled": CancelledParams;
}

export interface HostRequests {
  readonly "ui/resource-teardown": { readonly params: TeardownParams; readonly result: Params };
  readonly ping: { readonly params: Params; readonly result: Params };
}

export interface HostNotifications {
  readonly "ui/notifications/tool-input-partial": ToolInputParams;
  readonly "ui/notifications/tool-input": ToolInputParams;
  readonly "ui/notifications/tool-result": AppToolResult;
  readonly "ui/notifications/tool-cancelled": ToolCancelledParams;
  readonly "ui/notifications/host-context-changed": HostContext;
  readonly "notifications/tools/list_changed": Params;
  readonly "notifications/resources/list_changed": Params;
  readonly "notifications/cancelled": CancelledParams;
  readonly "notifications/progress": Params;
}

/** Between a host and its sandbox page: the page reports that it is ready, the host sends the HTML. */
export interface SandboxNotifications {
  readonly "ui/notifications/sandbox-proxy-ready": Params;
  readonly "ui/notifications/sandbox-resource-ready": SandboxResource;
}

export interface InitializeParams {
  readonly appInfo: Implementation;
  readonly appCapabilities: AppCapabilities;
  readonly protocolVersion: string;
}
export interface InitializeResult {
  readonly protocolVersion: string;
  readonly hostInfo: Implementation;
  readonly hostCapabilities: HostCapabilities;
  readonly hostContext: HostContext;
  readonly [key: string]: unknown;
}

export interface OpenLinkParams {
  readonly url: string;
}
/** `{}` means success. A host may also answer with a JSON-RPC error. */
export interface Attempt {
  readonly isError?: boolean | undefined;
  readonly [key: string]: unknown;
}

/** The specification shows one block, the reference package a list. Biplane accepts both and sends a list. */
export interface MessageParams {
  readonly role: "user";
  readonly content: readonly Content[];
}

/** Replaces the previous context. */
export interface ModelContextParams {
  readonly content?: readonly Content[] | undefined;
  readonly structuredContent?: Params | undefined;
}

export interface DisplayModeParams {
  readonly mode: DisplayMode;
}
/** The current mode, which may differ from the requested one. */
export interface DisplayModeResult {
  readonly mode: DisplayMode;
  readonly [key: string]: unknown;
}

export interface CallToolParams {
  readonly name: string;
  readonly arguments?: Params | undefined;
}
export interface ReadResourceParams {
  readonly uri: string;
}

/** In pixels. */
export interface SizeParams {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

export interface LogParams {
  readonly level: LogLevel;
  readonly logger?: string | undefined;
  readonly data: unknown;
}

export interface CancelledParams {
  readonly requestId?: RpcId | undefined;
  readonly reason?: string | undefined;
}

export interface ToolInputParams {
  readonly arguments?: Params | undefined;
}
export interface ToolCancelledParams {
  readonly reason?: string | undefined;
}
/** The specification allows a reason; the reference package's type lacks it. */
export interface TeardownParams {
  readonly reason?: string | undefined;
}

export interface SandboxResource {
  readonly html: string;
  /** Overrides the `sandbox` attribute of the inner frame. */
  readonly sandbox?: string | undefined;
  readonly csp?: AppCsp | undefined;
  readonly permissions?: Permissions | undefined;
}
