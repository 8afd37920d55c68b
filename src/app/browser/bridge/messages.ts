import type { Params, RpcId } from "../../../protocol/rpc.ts";
import type {
  AppCapabilities,
  Csp,
  DisplayMode,
  HostCapabilities,
  Implementation,
  Permissions,
} from "./capabilities.ts";
import type { Block, ReadResult, ToolResult } from "./content.ts";
import type { HostContext } from "./context.ts";

/** What a page asks its host for: by method, what it sends and what comes back. */
export interface ViewRequests {
  readonly "ui/initialize": { readonly params: InitializeParams; readonly result: InitializeResult };
  readonly "ui/open-link": { readonly params: OpenLinkParams; readonly result: Attempt };
  readonly "ui/message": { readonly params: MessageParams; readonly result: Attempt };
  readonly "ui/update-model-context": { readonly params: ModelContextParams; readonly result: Params };
  readonly "ui/request-display-mode": { readonly params: DisplayModeParams; readonly result: DisplayModeResult };
  readonly "tools/call": { readonly params: CallToolParams; readonly result: ToolResult };
  readonly "resources/read": { readonly params: ReadResourceParams; readonly result: ReadResult };
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
  readonly "ui/notifications/tool-result": ToolResult;
  readonly "ui/notifications/tool-cancelled": ToolCancelledParams;
  readonly "ui/notifications/host-context-changed": HostContext;
  readonly "notifications/tools/list_changed": Params;
  readonly "notifications/resources/list_changed": Params;
  readonly "notifications/cancelled": CancelledParams;
  readonly "notifications/progress": Params;
}

/** Between a host and its sandbox page: the page says it is there, the host gives it what to show. */
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
/** `{}` where it worked. A host may as well answer with an error. */
export interface Attempt {
  readonly isError?: boolean | undefined;
  readonly [key: string]: unknown;
}

/** The stable text shows one block, the reference package a list: `readMessage` takes both, we send a list. */
export interface MessageParams {
  readonly role: "user";
  readonly content: readonly Block[];
}

/** Takes the place of what the page said before. */
export interface ModelContextParams {
  readonly content?: readonly Block[] | undefined;
  readonly structuredContent?: Params | undefined;
}

export interface DisplayModeParams {
  readonly mode: DisplayMode;
}
/** The mode that is set now, whatever was asked for. */
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

export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

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
/** The text says a reason may be given, the package's type has no room for it. */
export interface TeardownParams {
  readonly reason?: string | undefined;
}

export interface SandboxResource {
  readonly html: string;
  /** Instead of the proxy's own `sandbox` attribute for the inner frame. */
  readonly sandbox?: string | undefined;
  readonly csp?: Csp | undefined;
  readonly permissions?: Permissions | undefined;
}
