import { tryParseJson } from "../bounds/parse-json.ts";
import { BiplaneError } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";
import { readErrorMeta } from "../protocol/error-meta.ts";
import { rpcCode } from "../protocol/protocol.ts";
import type { Params } from "../protocol/rpc.ts";
import type { TransportResponse, RpcError } from "./transport.ts";
import { isRecord } from "../is-record.ts";

/** Validates the `result` and `error` of a JSON-RPC response. */
export function readResponse(result: unknown, error: unknown): TransportResponse {
  if (error !== undefined) return { error: readError(error) };
  if (isRecord(result)) return { result };
  return { error: { code: rpcCode.internal, message: "The server's result is not an object." } };
}

/** The JSON-RPC error in the body of an HTTP response, if there is one. */
export function errorIn(text: string): RpcError | undefined {
  const { error } = bodyOf(text);
  return isRecord(error) && typeof error["code"] === "number" ? readError(error) : undefined;
}

/** The JSON-RPC result in the body of an HTTP response, if there is one. */
export function resultIn(text: string): Params | undefined {
  const { jsonrpc, result } = bodyOf(text);
  return jsonrpc === "2.0" && isRecord(result) ? result : undefined;
}

function bodyOf(text: string): Params {
  const body = tryParseJson(text);
  return isRecord(body) ? body : {};
}

/** Converts a JSON-RPC error. A Biplane server says which of our errors it was. The original is in `details.rpc`. */
export function rpcFailure(method: string, error: RpcError, status?: number): BiplaneError {
  const known = readErrorMeta(error.data);
  const code = known?.code ?? codes.get(error.code) ?? "EXECUTION_ERROR";
  const details = { ...known?.details, rpc: error, ...(status !== undefined && { status }) };
  return new BiplaneError(code, `The server rejected ${method}: ${error.message}`, { details });
}

/** The JSON-RPC error that caused `error`, if any. */
export function rpcErrorOf(error: unknown): RpcError | undefined {
  const rpc = error instanceof BiplaneError ? error.details?.["rpc"] : undefined;
  return isRecord(rpc) ? (rpc as unknown as RpcError) : undefined;
}

const codes: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [rpcCode.methodNotFound, "NOT_SUPPORTED"],
  [rpcCode.missingCapability, "NOT_SUPPORTED"],
  [rpcCode.unsupportedVersion, "NOT_SUPPORTED"],
  [rpcCode.invalidParams, "INVALID_INPUT"],
]);

function readError(error: unknown): RpcError {
  if (!isRecord(error)) return { code: rpcCode.internal, message: "The server's error is not an object." };
  const { code, message, data } = error;
  return {
    code: typeof code === "number" ? code : rpcCode.internal,
    message: typeof message === "string" ? message : "no reason given",
    ...(data !== undefined && { data }),
  };
}
