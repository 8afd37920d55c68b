import type { BiplaneError } from "../errors.ts";
import type { Era } from "../protocol/protocol.ts";
import type { Params, RpcId } from "../protocol/rpc.ts";

/** A connection to one server. JSON-RPC errors are returned; a lost connection is thrown. */
export interface Transport {
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Sends a message that gets no response: a notification, or the answer to a server's question. */
  send(message: Params): Promise<void>;
  /** Sets the negotiated protocol version. */
  agree(agreement: { readonly era: Era; readonly version: string }): void;
  /** Starts receiving server-initiated messages, on transports that need an extra request for it. */
  listen?(): void;
  close(): Promise<void>;
  /** True while a person is authorizing the client. Timeouts pause meanwhile. */
  readonly isAuthorizing?: boolean;
}

export interface TransportRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: Params;
  /** Parameters to repeat in HTTP headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal;
}

export type TransportResponse =
  | { readonly result: Params; readonly error?: never }
  | { readonly error: RpcError; readonly status?: number; readonly result?: never };

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Receives server-initiated messages. */
export interface TransportListener {
  onNotification(method: string, params: Params): void;
  onRequest(id: RpcId, method: string, params: Params): void;
  /** The connection broke, or the server closed it. Not called after `close`. */
  onLost(error: BiplaneError): void;
  onWarning(warning: string): void;
}
