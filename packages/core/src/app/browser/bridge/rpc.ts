import { BiplaneError } from "../../../errors.ts";
import { rpcCode } from "../../../protocol/protocol.ts";
import type { Params, RpcFault, RpcId } from "../../../protocol/rpc.ts";
import { isRecord } from "../../../is-record.ts";

export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: RpcId;
  readonly method: string;
  readonly params?: Params;
}
export interface RpcNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: Params;
}
/** `error` is untrusted; read it with `readFault`. */
export type RpcResponse =
  | { readonly jsonrpc: "2.0"; readonly id: RpcId; readonly result: Params }
  | { readonly jsonrpc: "2.0"; readonly id: RpcId; readonly error: unknown };

/** These three guards check messages from other windows. Most messages match none of them. */
export function isRequest(message: unknown): message is RpcRequest {
  return isCall(message) && isId(message["id"]);
}

export function isNotification(message: unknown): message is RpcNotification {
  return isCall(message) && !("id" in message);
}

export function isResponse(message: unknown): message is RpcResponse {
  if (!isRpc(message) || "method" in message || !isId(message["id"])) return false;
  return "error" in message ? !("result" in message) && isRecord(message["error"]) : isRecord(message["result"]);
}

/** The error of a response as a `BiplaneError`. */
export function errorOf(error: unknown, side: "host" | "view"): BiplaneError {
  const { code, message, data } = readFault(error);
  const meaning =
    code === rpcCode.methodNotFound
      ? "NOT_SUPPORTED"
      : code === rpcCode.invalidParams
        ? "INVALID_INPUT"
        : "EXECUTION_ERROR";
  return new BiplaneError(meaning, `The ${side} refused: ${message}`, { details: { code, data } });
}

/** Reads the untrusted `error` of a response. */
export function readFault(error: unknown): RpcFault {
  const { code, message, data } = isRecord(error) ? error : {};
  return {
    code: typeof code === "number" ? code : rpcCode.internal,
    message: typeof message === "string" ? message : "no reason given",
    data,
  };
}

/** An error as JSON-RPC sends it. Only the message is disclosed. */
export function rpcFaultOf(error: unknown): RpcFault {
  const code = (error as Partial<BiplaneError> | undefined)?.code;
  const message = error instanceof Error ? error.message : String(error);
  if (code === "NOT_SUPPORTED") return { code: rpcCode.methodNotFound, message };
  return { code: code === "INVALID_INPUT" ? rpcCode.invalidParams : rpcCode.server, message };
}

function isCall(message: unknown): message is Params & { method: string } {
  if (!isRpc(message) || typeof message["method"] !== "string") return false;
  return message["params"] === undefined || isRecord(message["params"]);
}

function isRpc(message: unknown): message is Params {
  return isRecord(message) && message["jsonrpc"] === "2.0";
}

function isId(id: unknown): id is RpcId {
  return typeof id === "string" || Number.isSafeInteger(id);
}
