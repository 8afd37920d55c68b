import type { Principal } from "../../tool/call.ts";
import type { McpClientInfo } from "./client.ts";
import type { Era } from "../../protocol/protocol.ts";
import { faultMessage, resultMessage } from "../../protocol/rpc.ts";
import type { Params, RpcFault, RpcId } from "../../protocol/rpc.ts";
import type { McpSession } from "./session.ts";

/** One MCP request being served: the request, its caller and the channel to reply on. */
export class Exchange implements McpCaller {
  readonly id: RpcId;
  readonly method: string;
  readonly params: Params;
  readonly era: Era;
  readonly client: McpClientInfo;
  readonly principal: Principal;
  readonly session: McpSession | undefined;
  readonly episode: string | undefined;
  readonly slotKey: object | undefined;
  readonly retryKey: string | undefined;
  readonly channel: ReplyChannel;
  /** Set by the handler; cancelled when the client cancels the request. */
  running: { cancel(): void; disconnect?(): void } | undefined;
  /** Set once the request became a call, which counts against the rate by itself. */
  hasCall: boolean;

  constructor(request: { id: RpcId; method: string; params: Params }, caller: McpCaller, channel: ReplyChannel) {
    this.id = request.id;
    this.method = request.method;
    this.params = request.params;
    this.era = caller.era;
    this.client = caller.client;
    this.principal = caller.principal;
    this.session = caller.session;
    this.episode = caller.episode;
    this.slotKey = caller.slotKey;
    this.retryKey = caller.retryKey;
    this.channel = channel;
    this.running = undefined;
    this.hasCall = false;
  }

  cancel(): void {
    this.running?.cancel();
  }

  /** The client can no longer get the answer over this connection. */
  disconnect(): void {
    if (this.running?.disconnect) this.running.disconnect();
    else this.cancel();
  }
}

/** Who sent a request. */
export interface McpCaller {
  readonly era: Era;
  readonly client: McpClientInfo;
  readonly principal: Principal;
  /** In the legacy era. */
  readonly session: McpSession | undefined;
  /** In an environment: the episode in the path. */
  readonly episode: string | undefined;
  /** In an environment: the session or connection whose episode is used if none is named (default: the principal's). */
  readonly slotKey: object | undefined;
  /** The key in the headers, which is the same for each try of a call. */
  readonly retryKey?: string | undefined;
}

/** Carries messages that precede the answer of a request: progress, logs, questions. */
export interface ReplyChannel {
  send(message: string): void;
}

/** For clients that accept only the answer. */
export const noReplies: ReplyChannel = { send: () => undefined };

/**
 * The answer to a request: a result as JSON, a protocol error, or `no-response` if it was cancelled. `challenge` is the
 * `WWW-Authenticate` header for a client that lacks a scope.
 */
export type McpAnswer =
  | { readonly result: string | PreparedResult; readonly isError?: true; readonly challenge?: string }
  | { readonly fault: RpcFault }
  | "no-response";

/** A cached result as bytes, followed by the closing brace of its message. */
export class PreparedResult {
  readonly bytes: Buffer;
  /** The number of list entries in it. */
  readonly entries: number;

  constructor(json: string, entries: number) {
    this.entries = entries;
    this.bytes = Buffer.from(`${json}}`);
  }

  toString(): string {
    return this.bytes.toString("utf8", 0, this.bytes.length - 1);
  }
}

/** The JSON-RPC message of an answer; undefined for `no-response`. */
export function answerMessage(id: RpcId, answer: McpAnswer): string | undefined {
  if (answer === "no-response") return undefined;
  return "fault" in answer ? faultMessage(id, answer.fault) : resultMessage(id, String(answer.result));
}
