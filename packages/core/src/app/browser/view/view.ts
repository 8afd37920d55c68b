import type { DisplayMode, HostCapabilities, Implementation } from "../bridge/capabilities.ts";
import type { Content } from "../../../tool/content.ts";
import type { LogLevel } from "../../../tool/log-level.ts";
import type { AppReadResult, AppToolResult } from "../bridge/content.ts";
import type { HostContext } from "../bridge/context.ts";
import type { SizeParams } from "../bridge/messages.ts";
import type { AnyView, Incomplete, ViewTypes } from "./view-of.ts";

/** A page's connection to its host. Created by `connectView`. */
export interface View<Types extends ViewTypes = AnyView> {
  /** Resolves after the handshake. Rejects if there is no host; then every request rejects too. */
  readonly ready: Promise<HostInitialized>;
  /** Undefined until `ready`. */
  readonly host: Implementation | undefined;
  /** The host's current theme, size, language and so on. Empty until `ready`. */
  readonly context: HostContext;

  /** Calls a tool of the page's own server. A tool that fails returns a result with `isError`. */
  callTool<Name extends Extract<keyof Types["tools"], string>>(
    name: Name,
    ...more: CallArguments<Types["tools"][Name]["input"]>
  ): Promise<AppToolResult<Types["tools"][Name]["output"]>>;
  readResource(uri: string, options?: ViewRequestOptions): Promise<AppReadResult>;
  /** Adds a user message to the conversation. */
  message(content: string | readonly Content[], options?: ViewRequestOptions): Promise<void>;
  /** Sets what the model knows about the page from its next turn on. Replaces the previous context. */
  updateContext(
    context: {
      readonly content?: string | readonly Content[];
      readonly structured?: Readonly<Record<string, unknown>>;
    },
    options?: ViewRequestOptions,
  ): Promise<void>;
  openLink(url: string, options?: ViewRequestOptions): Promise<void>;
  /** Returns the resulting mode, which may differ from the requested one. */
  requestDisplayMode(mode: DisplayMode, options?: ViewRequestOptions): Promise<DisplayMode>;
  /** Sends a log message to the host. The model does not see it. */
  log(level: LogLevel, data: unknown, logger?: string): void;
  /** Requests a size in pixels. Only needed with `autoResize: false`. */
  resize(size: SizeParams): void;
  /** Disconnects and rejects pending requests. */
  close(): void;
}

export interface ViewRequestOptions {
  /** Cancels the request, also at the host. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface HostInitialized {
  readonly host: Implementation;
  readonly capabilities: HostCapabilities;
  readonly context: HostContext;
  readonly protocolVersion: string;
}

/** Handlers are options because a host starts to send right after the handshake. */
export interface ViewOptions<Types extends ViewTypes = AnyView> {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  /** The display modes that the page supports. */
  readonly displayModes?: readonly DisplayMode[];
  /** Reports the size of the content to the host when it changes (default: true). */
  readonly autoResize?: boolean;
  /** Applies the host's theme, style variables and fonts to the document (default: true). */
  readonly hostStyles?: boolean;
  /** Time limit for requests (default: 60,000). */
  readonly timeoutMs?: number;

  /** Called while the model is still writing the arguments. */
  readonly onPartialInput?: (input: Incomplete<Types["input"]>) => void;
  readonly onInput?: (input: Types["input"]) => void;
  readonly onResult?: (result: AppToolResult<Types["output"]>) => void;
  /** Called instead of `onResult`. */
  readonly onCancelled?: (reason: string | undefined) => void;
  /** Called at the handshake with the whole context, then with each change. */
  readonly onContext?: (changed: HostContext, whole: HostContext) => void;
  /** Called before the page is removed. The host waits briefly for a promise. */
  readonly onTeardown?: (reason: string | undefined) => void | Promise<void>;
}

/** `input` is optional if every field of it is. */
type CallArguments<Input> =
  Partial<Input> extends Input
    ? [input?: Input, options?: ViewRequestOptions]
    : [input: Input, options?: ViewRequestOptions];
