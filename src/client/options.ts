import type { LogLevel } from "../tool/call.ts";
import type { Server } from "../server/server.ts";
import type { Params } from "../protocol/rpc.ts";
import type { Answers } from "./answers.ts";
import type { Fetch } from "./auth/authorizer.ts";
import type { OAuthOptions } from "./auth/options.ts";
import type { Interceptor } from "./intercept.ts";

/** What to connect to: an address, a program to start, or a server in this process. */
export type Target = string | URL | ProcessTarget | Server;

export interface ProcessTarget {
  readonly command: string;
  readonly args?: readonly string[];
  /** Beside PATH, HOME and the like; nothing else of this process's own environment is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface ConnectOptions {
  /** Who we say we are. */
  readonly clientInfo?: { readonly name: string; readonly version: string; readonly [key: string]: unknown };
  /** Which of MCP's eras to speak. `auto` asks the server. */
  readonly era?: "auto" | "modern" | "legacy";
  /** Answers what the server asks: forms, links, samples, roots. What is not here is not offered. */
  readonly answers?: Answers;
  /** Capabilities to declare beside those that `answers` and tasks imply. */
  readonly capabilities?: Params;
  /** Whether the pages of apps can be shown: then tools come with them. */
  readonly apps?: boolean;
  /** Whether calls may become tasks, which are then waited for. */
  readonly tasks?: boolean;
  /** `_meta` of every request. */
  readonly meta?: Params;
  /** Middleware around every request, the first outermost. */
  readonly intercept?: readonly Interceptor[];
  readonly headers?: Readonly<Record<string, string>>;
  /** A token, or what gets one; asked before every HTTP request. */
  readonly bearer?: string | (() => string | Promise<string>);
  readonly oauth?: OAuthOptions;
  /** Per request; 30 seconds unless said. The time people take over questions does not count. */
  readonly timeoutMs?: number;
  readonly reconnect?: ReconnectOptions;
  /** The least important log line to be sent. */
  readonly logLevel?: LogLevel;
  readonly onLog?: (line: LogLine) => void;
  /** Every notification as it came, the known ones too. */
  readonly onNotification?: (method: string, params: Params) => void;
  /** What went wrong without failing a request, such as junk on a server's output; said on standard error unless given. */
  readonly onWarning?: (warning: string) => void;
  /** Lines a child process writes to standard error. */
  readonly onStderr?: (line: string) => void;
  readonly maxMessageBytes?: number;
  /** How long a child process may take to leave. */
  readonly graceMs?: number;
  readonly signal?: AbortSignal;
  readonly fetch?: Fetch;
  readonly random?: () => number;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface ReconnectOptions {
  /** How often to try before giving up; 5 unless said, 0 never. */
  readonly attempts?: number;
  /** The first pause; each further one is twice as long, up to `maxDelayMs`, and shortened at random. */
  readonly delayMs?: number;
  readonly maxDelayMs?: number;
}

export interface LogLine {
  readonly level: LogLevel;
  readonly data: unknown;
  readonly logger?: string;
  readonly [key: string]: unknown;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Whether news of progress starts the time anew. */
  readonly resetTimeoutOnProgress?: boolean | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Added to `_meta`. */
  readonly meta?: Params | undefined;
  /** Hands back `input_required` and task results as they come, for those who pass them on. */
  readonly raw?: boolean | undefined;
  /** Answers what this request leads to, instead of the client's own. The older era's servers ask the client. */
  readonly answers?: Answers | undefined;
  /** Whether doing it twice does no harm, where the caller knows better than the server's annotations. */
  readonly idempotent?: boolean | undefined;
  /** Told when a call has become a task, and of every change of it. */
  readonly onTask?: ((task: Params) => void) | undefined;
  /** Told when the server asked for input before it answered. */
  readonly onInput?: (() => void) | undefined;
}
