import type { Authenticate } from "./authenticate.ts";
import type { Connections } from "./connections.ts";
import type { MetricsDoor, PageDoor, PeopleDoors, ReadyCheck, SandboxDoor } from "./doors.ts";

export interface ServeOptions {
  /** `stdio`, `http://host:port` or `ws://host:port`. */
  readonly url?: string;
  /** Proves who a network caller is; undefined refuses it. Needed for any address but loopback. */
  readonly authenticate?: Authenticate;
  /**
   * Let trainers in without credentials on an address that others can reach: for containers on a network of their own,
   * because the trainers' own clients have no way to send any.
   */
  readonly openTrainerDoors?: boolean;
  /** What people come in by, at `/api/…`: approvals, secrets, audit. */
  readonly people?: PeopleDoors;
  /** The page for people at `/`, and its files. */
  readonly page?: PageDoor;
  /** Where the pages of apps run, on host names of their own. */
  readonly sandbox?: SandboxDoor;
  /** What answers at `/metrics`. */
  readonly metrics?: MetricsDoor;
  /** What `/readyz` looks at, by name. */
  readonly ready?: Readonly<Record<string, ReadyCheck>>;
  /** The address that others know this server by, such as `https://tools.example.com`, where a proxy stands before it. */
  readonly publicUrl?: string;
  /** Addresses of proxies that are believed when they say, in X-Forwarded-For, whom they speak for. */
  readonly trustedProxies?: readonly string[];
  /** Further values of the Host header to accept, such as `tools.example.com`. */
  readonly allowedHosts?: readonly string[];
  /** Further values of the Origin header to accept, such as `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[];
  readonly maxBodyBytes?: number;
  /** Sessions of the older MCP era: how long an idle one is kept, and how many there may be. */
  readonly sessionIdleMs?: number;
  readonly maxSessions?: number;
  /** Entries per page of a list; left out, a list is one page. */
  readonly pageSize?: number;
  /** How long `close` waits for running calls. */
  readonly graceMs?: number;
  /** Signs what a stateless client carries between attempts; share it between processes. Left out: made at start. */
  readonly stateKey?: string;
  /** Told of every MCP request; left out, nothing is spent on it. */
  readonly requestLog?: RequestLog | undefined;
}

/** Told of MCP requests and what they came to, never of arguments or results. It must not throw. */
export interface RequestLog {
  received(request: ReceivedRequest): void;
  answered(request: AnsweredRequest): void;
}

export interface ReceivedRequest {
  readonly id: string | number;
  /** As the client wrote it, like `id` and `tool`. */
  readonly method: string;
  readonly tool: string | undefined;
}

export interface AnsweredRequest extends ReceivedRequest {
  readonly durationMs: number;
  readonly status: "complete" | "failed" | "cancelled" | "input_required" | "task";
  /** Of a protocol error; a tool that failed has none. */
  readonly errorCode?: number | undefined;
  /** How many entries a list had. */
  readonly entries?: number | undefined;
}

/** A server that listens. */
export interface Listening extends AsyncDisposable {
  /** The MCP sessions that are open behind it, where it is a port. */
  readonly connections?: Connections;
  /** Where, with the real port. */
  readonly url: string;
  /** Resolves when it has stopped, whoever stopped it. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}
