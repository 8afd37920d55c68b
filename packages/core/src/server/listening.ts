import type { OptionNames } from "../tool/check-options.ts";
import type { Authenticate } from "./authenticate.ts";
import type { Connections } from "./connections.ts";
import type { MetricsEndpoint, PageEndpoint, AdminEndpoint, ReadyCheck, SandboxRoutes } from "./endpoints.ts";

/** Options of `serve`. */
export interface ServeOptions {
  /** `stdio`, `http://host:port` or `ws://host:port`. */
  readonly url?: string;
  /** Authenticates network callers. Required for any address except loopback. */
  readonly authenticate?: Authenticate;
  /**
   * Serves the trainer endpoints without credentials on a non-loopback address. Meant for containers on a private
   * network, because trainers' clients cannot send credentials.
   */
  readonly openTrainerEndpoints?: boolean;
  /** Handles the admin API at `/api/`. */
  readonly people?: AdminEndpoint;
  /** Serves the admin page at `/`. */
  readonly page?: PageEndpoint;
  /** Serves app pages on their own host names. */
  readonly sandbox?: SandboxRoutes;
  /** Handles `/metrics`. */
  readonly metrics?: MetricsEndpoint;
  /** The checks behind `/readyz`, by name. */
  readonly ready?: Readonly<Record<string, ReadyCheck>>;
  /** The public URL if a proxy is in front, such as `https://tools.example.com`. */
  readonly publicUrl?: string;
  /** Addresses of proxies whose X-Forwarded-For header is trusted. */
  readonly trustedProxies?: readonly string[];
  /**
   * Serves the Server Card of each server and a catalogue, without credentials and to pages of any origin. On a loopback
   * address they are served anyway, to pages of this machine only (default: false).
   */
  readonly discoverable?: boolean;
  /** Further accepted Host header values, such as `tools.example.com`. */
  readonly allowedHosts?: readonly string[];
  /** Further accepted Origin header values, such as `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[];
  readonly maxBodyBytes?: number;
  /** How long an idle MCP session is kept. Sessions exist only up to protocol version 2025-11-25. */
  readonly sessionIdleMs?: number;
  readonly maxSessions?: number;
  /**
   * The `reward` in ORS answers. `total`: the episode's reward so far, because clients take the last one for the
   * reward of the episode. `step`: the reward of the call (default: `total`).
   */
  readonly orsRewards?: "total" | "step";
  /** Entries per page of a list (default: all on one page). */
  readonly pageSize?: number;
  /** How long `close` waits for running calls. */
  readonly graceMs?: number;
  /** Signs the state that stateless clients carry. Share it between processes (default: random). */
  readonly stateKey?: string;
  /** Called for every MCP request. Without it, nothing is measured. */
  readonly requestLog?: RequestLog | undefined;
  /**
   * Answers plain POSTs to call paths without `node:http`, at less than half the cost (default: true). Set it to false
   * if something in your process observes or changes the requests of `node:http`.
   */
  readonly fastLane?: boolean;
  /** Also listens on a free port that no other process shares, for processes of a fleet on one port (default: false). */
  readonly ownPort?: boolean;
}

export const serveOptionNames: OptionNames<ServeOptions> = {
  url: true,
  authenticate: true,
  openTrainerEndpoints: true,
  people: true,
  page: true,
  sandbox: true,
  metrics: true,
  ready: true,
  publicUrl: true,
  trustedProxies: true,
  discoverable: true,
  allowedHosts: true,
  allowedOrigins: true,
  maxBodyBytes: true,
  sessionIdleMs: true,
  maxSessions: true,
  orsRewards: true,
  pageSize: true,
  graceMs: true,
  stateKey: true,
  requestLog: true,
  fastLane: true,
  ownPort: true,
};

/** Observes MCP requests, without their arguments and results. It must not throw. */
export interface RequestLog {
  received(request: ReceivedRequest): void;
  answered(request: AnsweredRequest): void;
}

export interface ReceivedRequest {
  readonly id: string | number;
  /** Raw client text, like `id` and `tool`. */
  readonly method: string;
  readonly tool: string | undefined;
}

export interface AnsweredRequest extends ReceivedRequest {
  readonly durationMs: number;
  readonly status: "complete" | "failed" | "cancelled" | "input_required" | "task";
  /** JSON-RPC error code. A failed tool has none. */
  readonly errorCode?: number | undefined;
  /** Number of entries, for list requests. */
  readonly entries?: number | undefined;
}

/** A listening server. */
export interface Listening extends AsyncDisposable {
  /** The open MCP sessions, if it listens on a port. */
  readonly connections?: Connections;
  /** The URL with the actual port. */
  readonly url: string;
  /** The URL with the port of this process alone, if `ownPort` is set. */
  readonly ownUrl?: string;
  /** Resolves when it has stopped. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}
