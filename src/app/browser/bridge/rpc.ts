import { BiplaneError } from "../../../errors.ts";
import type { Params, RpcFault, RpcId } from "../../../protocol/rpc.ts";

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
/** `error` is as it came: `readFault` makes something of it. */
export type RpcResponse =
  | { readonly jsonrpc: "2.0"; readonly id: RpcId; readonly result: Params }
  | { readonly jsonrpc: "2.0"; readonly id: RpcId; readonly error: unknown };

// Single names and no table, so that a page is built with the numbers alone.
const invalidRequest = -32600;
export const methodNotFound = -32601;
const invalidParams = -32602;
const internalError = -32603;
const serverError = -32000;

export const rpcCode = {
  invalidRequest,
  methodNotFound,
  invalidParams,
  internal: internalError,
  server: serverError,
} as const;

/** The three guards read whatever another window posted. A message is at most one of the three, and most are none. */
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

/** The reverse: what the other side said went wrong, as an error of ours. */
export function errorOf(error: unknown, side: "host" | "view"): BiplaneError {
  const { code, message, data } = readFault(error);
  const meaning =
    code === methodNotFound ? "NOT_SUPPORTED" : code === invalidParams ? "INVALID_INPUT" : "EXECUTION_ERROR";
  return new BiplaneError(meaning, `The ${side} refused: ${message}`, { details: { code, data } });
}

/** What a response says went wrong. */
export function readFault(error: unknown): RpcFault {
  const { code, message, data } = isRecord(error) ? error : {};
  return {
    code: typeof code === "number" ? code : internalError,
    message: typeof message === "string" ? message : "no reason given",
    data,
  };
}

/** An error of ours as the other side is told it. Anything but one of ours says no more than its message. */
export function faultOf(error: unknown): RpcFault {
  const code = (error as Partial<BiplaneError> | undefined)?.code;
  const message = error instanceof Error ? error.message : String(error);
  if (code === "NOT_SUPPORTED") return { code: methodNotFound, message };
  return { code: code === "INVALID_INPUT" ? invalidParams : serverError, message };
}

/** An object with keys: no list, no Map, no Date. */
export function isRecord(value: unknown): value is Params {
  return Object.prototype.toString.call(value) === "[object Object]";
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
