import { rpcCode } from "./protocol.ts";
import { isRecord } from "../is-record.ts";

export type RpcId = string | number;
export type Params = { readonly [key: string]: unknown };

/** A JSON-RPC error. `status` is its HTTP status. */
export interface RpcFault {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  readonly status?: number;
}

export type Incoming =
  | { readonly kind: "request"; readonly id: RpcId; readonly method: string; readonly params: Params }
  | { readonly kind: "notification"; readonly method: string; readonly params: Params }
  | { readonly kind: "response"; readonly id: RpcId; readonly result?: unknown; readonly error?: unknown }
  | { readonly kind: "batch"; readonly messages: readonly unknown[] }
  | { readonly kind: "invalid"; readonly id: RpcId | null; readonly fault: RpcFault };

export function readMessage(message: unknown): Incoming {
  if (!isRecord(message))
    return invalidMessage(null, rpcCode.invalidRequest, "Invalid Request: a message must be an object");
  const { jsonrpc, id, method, params = {} } = message;
  const known = typeof id === "string" || (typeof id === "number" && Number.isFinite(id)) ? id : null;
  if (jsonrpc !== "2.0") return invalidMessage(known, rpcCode.invalidRequest, 'Invalid Request: jsonrpc must be "2.0"');
  if (method === undefined) return readResponse(message, known);
  if (typeof method !== "string")
    return invalidMessage(known, rpcCode.invalidRequest, "Invalid Request: method must be a string");
  if (id !== undefined && known === null) {
    return invalidMessage(null, rpcCode.invalidRequest, "Invalid Request: id must be a string or a number");
  }
  if (!isRecord(params))
    return invalidMessage(known, rpcCode.invalidParams, "Invalid params: params must be an object");
  return known === null ? { kind: "notification", method, params } : { kind: "request", id: known, method, params };
}

/** A complete response. `result` is already JSON. */
export function resultMessage(id: RpcId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

export function faultMessage(id: RpcId | null, { code, message, data }: RpcFault): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, ...(data !== undefined && { data }) } });
}

export function notification(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}

function readResponse(message: Params, id: RpcId | null): Incoming {
  if (id !== null && ("result" in message || "error" in message)) {
    return { kind: "response", id, result: message["result"], error: message["error"] };
  }
  return invalidMessage(id, rpcCode.invalidRequest, "Invalid Request: method is missing");
}

export function invalidMessage(id: RpcId | null, code: number, message: string): Incoming {
  return { kind: "invalid", id, fault: { code, message, status: 400 } };
}
