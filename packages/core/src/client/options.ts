import type { BiplaneError } from "../errors.ts";
import type { LogLevel } from "../tool/log-level.ts";
import type { Served } from "../environment/served.ts";
import type { Params } from "../protocol/rpc.ts";
import type { Answers } from "./answers.ts";
import type { Fetch } from "./auth/authorizer.ts";
import type { OAuthClientOptions } from "./auth/options.ts";
import type { Interceptor } from "./intercept.ts";

/** What to connect to: a URL, a command to start, or a server in this process. */
export type Target = string | URL | ProcessTarget | Served;

export interface ProcessTarget {
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to PATH, HOME and the like. The rest of this process's environment is not passed on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Options of `connect`. */
export interface ConnectOptions {
  /** Name and version sent to the server. */
  readonly clientInfo?: { readonly name: string; readonly version: string; readonly [key: string]: unknown };
  /** Protocol era: `modern` is MCP 2026-07-28, `legacy` everything before. `auto` probes the server (default). */
  readonly era?: "auto" | "modern" | "legacy";
  /** Handlers for the server's questions. Only capabilities with a handler are declared. */
  readonly answers?: Answers;
  /** Capabilities to declare in addition to those that `answers` and `tasks` imply. */
  readonly capabilities?: Params;
  /** Declares support for MCP Apps, so that tools are listed with their pages (default: false). */
  readonly apps?: boolean;
  /** Lets the server turn calls into tasks, which the client waits for (default: true). */
  readonly tasks?: boolean;
  /** Added to the `_meta` of every request. */
  readonly meta?: Params;
  /** Interceptors around every request, the first outermost. */
  readonly intercept?: readonly Interceptor[];
  readonly headers?: Readonly<Record<string, string>>;
  /** A bearer token, or a function that returns one; called before every HTTP request. */
  readonly bearer?: string | (() => string | Promise<string>);
  readonly oauth?: OAuthClientOptions;
  /** Time limit per request (default: 30000). Pauses while a person answers a question. */
  readonly timeoutMs?: number;
  readonly reconnect?: ReconnectOptions;
  /** Minimum level of the server's log messages. */
  readonly logLevel?: LogLevel;
  readonly onLog?: (message: ServerLogMessage) => void;
  /** Receives every notification unchanged. */
  readonly onNotification?: (method: string, params: Params) => void;
  /** Receives problems that fail no request, such as invalid output of a server (default: standard error). */
  readonly onWarning?: (warning: string) => void;
  /** Lines a child process writes to standard error. */
  readonly onStderr?: (line: string) => void;
  /** Maximum size of a message from the server (default: 4 MiB). */
  readonly maxMessageBytes?: number;
  /** Time a child process gets to exit before it is killed (default: 2000). */
  readonly graceMs?: number;
  readonly signal?: AbortSignal;
  readonly fetch?: Fetch;
  readonly random?: () => number;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface ReconnectOptions {
  /** Attempts before giving up; 0 disables reconnecting (default: 5). */
  readonly attempts?: number;
  /** First delay; doubles with each attempt, with jitter (default: 200). */
  readonly delayMs?: number;
  /** Upper limit of the delay (default: 10000). */
  readonly maxDelayMs?: number;
}

export interface ServerLogMessage {
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

/** Options of every request of a client. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Restarts the timeout with every progress notification. */
  readonly resetTimeoutOnProgress?: boolean | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Added to `_meta`. */
  readonly meta?: Params | undefined;
  /** Returns `input_required` and task results unchanged, for proxies. */
  readonly raw?: boolean | undefined;
  /** Handlers for this request's questions, instead of the client's. Modern servers only. */
  readonly answers?: Answers | undefined;
  /** Overrides the server's annotations: true if the call may be repeated after a lost connection. */
  readonly idempotent?: boolean | undefined;
  /** Set to false to keep the server from turning this call into a task. */
  readonly tasks?: boolean | undefined;
  /** Called when a call becomes a task, and with every state of it. */
  readonly onTask?: ((task: Params) => void) | undefined;
  /** Called when the call's task waits for approval, with `APPROVAL_PENDING`, and with undefined when it continues. */
  readonly onPending?: ((pending: BiplaneError | undefined) => void) | undefined;
  /** Called when the server asks for input before it answers. */
  readonly onInput?: (() => void) | undefined;
}
