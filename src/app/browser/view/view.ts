import type { DisplayMode, HostCapabilities, Implementation } from "../bridge/capabilities.ts";
import type { Block, ReadResult, ToolResult } from "../bridge/content.ts";
import type { HostContext } from "../bridge/context.ts";
import type { LogLevel, SizeParams } from "../bridge/messages.ts";
import type { AnyView, Incomplete, ViewTypes } from "./view-of.ts";

/** A page's side of its conversation with the host. Made by `connectView`. */
export interface View<Types extends ViewTypes = AnyView> {
  /** The handshake. It fails, and everything else with it, where there is no host. */
  readonly ready: Promise<HostInitialized>;
  /** Who shows the page; undefined until `ready`. */
  readonly host: Implementation | undefined;
  /** What the host last said of theme, size, language and so on; empty until `ready`. */
  readonly context: HostContext;

  /** Calls a tool of the page's own server. One that fails gives a result with `isError`. */
  callTool<Name extends Extract<keyof Types["tools"], string>>(
    name: Name,
    ...more: CallArguments<Types["tools"][Name]["input"]>
  ): Promise<ToolResult<Types["tools"][Name]["output"]>>;
  readResource(uri: string, options?: RequestOptions): Promise<ReadResult>;
  /** Says something in the conversation, as the user. */
  message(content: string | readonly Block[], options?: RequestOptions): Promise<void>;
  /** What the model should know of the page from its next turn on. Takes the place of what was said before. */
  updateContext(
    context: { readonly content?: string | readonly Block[]; readonly structured?: Readonly<Record<string, unknown>> },
    options?: RequestOptions,
  ): Promise<void>;
  openLink(url: string, options?: RequestOptions): Promise<void>;
  /** The mode that is set afterwards, which may be another one. */
  requestDisplayMode(mode: DisplayMode, options?: RequestOptions): Promise<DisplayMode>;
  /** For whoever debugs the page; the model does not see it. */
  log(level: LogLevel, data: unknown, logger?: string): void;
  /** Asks for a size in pixels. Only needed with `autoResize: false`. */
  resize(size: SizeParams): void;
  /** Stops listening; what is still waiting fails. */
  close(): void;
}

export interface RequestOptions {
  /** Ends the wait, and tells the host so. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface HostInitialized {
  readonly host: Implementation;
  readonly capabilities: HostCapabilities;
  readonly context: HostContext;
  readonly protocolVersion: string;
}

/** The handlers are here, and not set later, because a host begins to send as soon as the handshake is over. */
export interface ViewOptions<Types extends ViewTypes = AnyView> {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  /** How the page can be shown. The host switches to no other. */
  readonly displayModes?: readonly DisplayMode[];
  /** Reports the height of the content whenever it changes: true. */
  readonly autoResize?: boolean;
  /** Puts the host's theme, style variables and fonts on the document: true. */
  readonly hostStyles?: boolean;
  /** How long a request may take: 60,000 ms. */
  readonly timeoutMs?: number;

  /** While the model is still writing the arguments. */
  readonly onPartialInput?: (input: Incomplete<Types["input"]>) => void;
  readonly onInput?: (input: Types["input"]) => void;
  readonly onResult?: (result: ToolResult<Types["output"]>) => void;
  /** Instead of a result. */
  readonly onCancelled?: (reason: string | undefined) => void;
  /** What changed, and all of it. The first time, at the handshake, that is the same. */
  readonly onContext?: (changed: HostContext, whole: HostContext) => void;
  /** The page is about to go. The host waits a little for a promise. */
  readonly onTeardown?: (reason: string | undefined) => void | Promise<void>;
}

/** A tool that needs no input may be called without. */
type CallArguments<Input> =
  Partial<Input> extends Input ? [input?: Input, options?: RequestOptions] : [input: Input, options?: RequestOptions];
