import type { Principal } from "../tool/call.ts";

export interface ServeOptions {
  /** `stdio`, `http://host:port` or `ws://host:port`. */
  readonly url?: string;
  /** Proves who a network caller is; undefined refuses it. Needed for any address but loopback. */
  readonly authenticate?: (request: NetworkRequest) => Principal | undefined | Promise<Principal | undefined>;
  /**
   * Let trainers in without credentials on an address that others can reach: for containers on a network of their own,
   * because the trainers' own clients have no way to send any.
   */
  readonly openTrainerDoors?: boolean;
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
}

export interface NetworkRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly address: string;
}

/** A server that listens. */
export interface Listening extends AsyncDisposable {
  /** Where, with the real port. */
  readonly url: string;
  /** Resolves when it has stopped, whoever stopped it. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}
