import type { Principal } from "../../tool/call.ts";
import type { Client } from "./client.ts";
import type { Era } from "./protocol.ts";
import { faultMessage, resultMessage } from "./rpc.ts";
import type { Params, RpcFault, RpcId } from "./rpc.ts";
import type { Session } from "./session.ts";

/** One request being served: what was asked, by whom, and the line back while it runs. */
export interface Exchange {
  readonly id: RpcId;
  readonly method: string;
  readonly params: Params;
  readonly era: Era;
  readonly client: Client;
  readonly principal: Principal;
  /** The handshake it belongs to, in the older era. */
  readonly session: Session | undefined;
  /** In an environment: the episode its address names. */
  readonly episode?: string | undefined;
  /** In an environment: what its seat hangs on, where no episode is named. */
  readonly seatKey?: object | undefined;
  /** Sends a message that belongs to this request: progress, a log line, a question. */
  readonly send: (message: string) => void;
  /** Set by the handler: what to do when the client no longer wants the answer. */
  onCancel: (() => void) | undefined;
}

/** What a request came to: a result as JSON, a protocol error, or silence for one that was cancelled. */
export type Answer = { readonly result: string | Buffer } | { readonly fault: RpcFault } | "silence";

/** An answer as a whole message; undefined for silence. */
export function answerMessage(id: RpcId, answer: Answer): string | undefined {
  if (answer === "silence") return undefined;
  return "fault" in answer ? faultMessage(id, answer.fault) : resultMessage(id, String(answer.result));
}
