import type { BiplaneError } from "../errors.ts";
import type { Era } from "../protocol/protocol.ts";
import type { Params, RpcId } from "../protocol/rpc.ts";

/** The way to one server, whatever it is made of. Lost connections are thrown, what the server said is returned. */
export interface Line {
  request(request: LineRequest): Promise<Response>;
  /** Sends what gets no answer: a notification, or our response to a question. */
  send(message: Params): Promise<void>;
  /** From now on this is what is spoken. */
  agree(agreement: { readonly era: Era; readonly version: string }): void;
  /** Begins to hear what comes unasked, where that takes more than keeping the line open. */
  listen?(): void;
  close(): Promise<void>;
  /** Whether somebody is just being asked to let us in: that time does not count. */
  readonly isHeld?: boolean;
}

export interface LineRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: Params;
  /** The parameters that are repeated in headers, where there are headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal;
}

export type Response =
  | { readonly result: Params; readonly error?: never }
  | { readonly error: RpcError; readonly status?: number; readonly result?: never };

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Who hears what comes without having been asked for. */
export interface LineListener {
  onNotification(method: string, params: Params): void;
  onRequest(id: RpcId, method: string, params: Params): void;
  /** The line broke, or the other side hung up. Not called where we did. */
  onLost(error: BiplaneError): void;
  onWarning(warning: string): void;
}

export const defaultMaxBytes = 16 * 1024 * 1024;
