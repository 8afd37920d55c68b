import type { IncomingMessage, ServerResponse } from "node:http";
import type { Shares } from "../call/shares.ts";
import type { Principal } from "../tool/call.ts";

/** Handles everything under `/api/`. It does its own authentication. */
export interface AdminEndpoint {
  handle(request: EndpointRequest): Promise<EndpointResponse>;
}

/** A JSON request. */
export interface EndpointRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly address: string;
  /** The Origin header that this server's own page would send. */
  readonly origin: string;
  readonly body: unknown;
}

export interface EndpointResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON (default: an empty body). */
  readonly body?: unknown;
  /** Raw bytes, with a content type in `headers`. */
  readonly bytes?: Uint8Array;
  /** Starts a stream of server-sent events instead. The returned function is called when the client disconnects. */
  readonly events?: (writer: EventWriter) => () => void;
}

/** Writes server-sent events. */
export interface EventWriter {
  /** Returns false if the client is slow; then drop or delay events that are not urgent. */
  send(event: string, data: unknown): boolean;
  /** Closes the stream. */
  end(): void;
}

/** Serves the admin page and its files: every path that no other endpoint takes. */
export interface PageEndpoint {
  /** Returns undefined if there is no such file. `encodings` is the Accept-Encoding header. */
  handle(path: string, encodings?: string): EndpointResponse | undefined;
}

/** Serves app pages on their own host names, isolated from everything else. */
export interface SandboxRoutes {
  /** Whether requests with this Host header belong to the sandbox. */
  owns(host: string): boolean;
  handle(request: { readonly method: string; readonly host: string; readonly url: string }): EndpointResponse;
}

/** Handles `/metrics`. Agent tokens do not grant access. */
export interface MetricsEndpoint {
  handle(request: IncomingMessage, response: ServerResponse, principal: Principal): void;
  /** Registers a gauge that is read on each scrape. The returned function removes it. */
  gauge?(name: string, read: () => number | Promise<number>): () => void;
  /** Shows what callers hold of these resources. */
  watch?(...shares: readonly Shares[]): void;
}

/** A readiness check. It fails if it throws or returns false. */
export type ReadyCheck = () => boolean | void | Promise<boolean | void>;
