import type { Principal } from "../../tool/call.ts";
import type { Client } from "./client.ts";
import type { Era } from "../../protocol/protocol.ts";
import { faultMessage, resultMessage } from "../../protocol/rpc.ts";
import type { Params, RpcFault, RpcId } from "../../protocol/rpc.ts";
import type { Session } from "./session.ts";

/** One request being served: what was asked, by whom, and the line back while it runs. */
export class Exchange implements Caller {
  readonly id: RpcId;
  readonly method: string;
  readonly params: Params;
  readonly era: Era;
  readonly client: Client;
  readonly principal: Principal;
  readonly session: Session | undefined;
  readonly episode: string | undefined;
  readonly seatKey: object | undefined;
  readonly line: Line;
  /** Set by the handler: what ends when the client no longer wants the answer. */
  running: { cancel(): void } | undefined;

  constructor(request: { id: RpcId; method: string; params: Params }, caller: Caller, line: Line) {
    this.id = request.id;
    this.method = request.method;
    this.params = request.params;
    this.era = caller.era;
    this.client = caller.client;
    this.principal = caller.principal;
    this.session = caller.session;
    this.episode = caller.episode;
    this.seatKey = caller.seatKey;
    this.line = line;
    this.running = undefined;
  }

  cancel(): void {
    this.running?.cancel();
  }
}

/** Who sent a request. */
export interface Caller {
  readonly era: Era;
  readonly client: Client;
  readonly principal: Principal;
  /** The handshake it belongs to, in the older era. */
  readonly session: Session | undefined;
  /** In an environment: the episode its address names. */
  readonly episode: string | undefined;
  /** In an environment: what its seat hangs on, where no episode is named. */
  readonly seatKey: object | undefined;
}

/** Where messages go that belong to a request and come before its answer: progress, a log line, a question. */
export interface Line {
  send(message: string): void;
}

/** For requests whose client takes nothing but the answer. */
export const silentLine: Line = { send: () => undefined };

/**
 * What a request came to: a result as JSON, a protocol error, or silence for one that was cancelled. `challenge` is for
 * HTTP, where a client that lacks a scope is told how to get it.
 */
export type Answer =
  | { readonly result: string | Prepared; readonly isError?: true; readonly challenge?: string }
  | { readonly fault: RpcFault }
  | "silence";

/** A result that is kept as bytes, with the brace that ends the message behind it: ready to be sent as it is. */
export class Prepared {
  readonly bytes: Buffer;
  /** How many entries of a list it holds. */
  readonly entries: number;

  constructor(json: string, entries: number) {
    this.entries = entries;
    this.bytes = Buffer.from(`${json}}`);
  }

  toString(): string {
    return this.bytes.toString("utf8", 0, this.bytes.length - 1);
  }
}

/** An answer as a whole message; undefined for silence. */
export function answerMessage(id: RpcId, answer: Answer): string | undefined {
  if (answer === "silence") return undefined;
  return "fault" in answer ? faultMessage(id, answer.fault) : resultMessage(id, String(answer.result));
}
