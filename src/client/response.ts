import { BiplaneError } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";
import { rpcCode } from "../protocol/protocol.ts";
import { isObject } from "../protocol/rpc.ts";
import type { Response, RpcError } from "./line.ts";

/** A response as it was read off a wire, made sure of. */
export function readResponse(result: unknown, error: unknown): Response {
  if (error !== undefined) return { error: readError(error) };
  if (isObject(result)) return { result };
  return { error: { code: rpcCode.internal, message: "the server's result is not an object" } };
}

/** The JSON-RPC error in the body of an HTTP response, if there is one. */
export function errorIn(text: string): RpcError | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) && isObject(body["error"]) && typeof body["error"]["code"] === "number"
      ? readError(body["error"])
      : undefined;
  } catch {
    return undefined;
  }
}

/** What the server said, as an error of ours. The server's own words and code are in `details.rpc`. */
export function refusal(method: string, error: RpcError, status?: number): BiplaneError {
  const code = codes.get(error.code) ?? "EXECUTION_ERROR";
  const details = { rpc: error, ...(status !== undefined && { status }) };
  return new BiplaneError(code, `the server refused ${method}: ${error.message}`, { details });
}

/** The JSON-RPC error that a refusal carries. */
export function rpcErrorOf(error: unknown): RpcError | undefined {
  const rpc = error instanceof BiplaneError ? error.details?.["rpc"] : undefined;
  return isObject(rpc) ? (rpc as unknown as RpcError) : undefined;
}

const codes: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [rpcCode.methodNotFound, "NOT_SUPPORTED"],
  [rpcCode.missingCapability, "NOT_SUPPORTED"],
  [rpcCode.unsupportedVersion, "NOT_SUPPORTED"],
  [rpcCode.invalidParams, "INVALID_INPUT"],
]);

function readError(error: unknown): RpcError {
  if (!isObject(error)) return { code: rpcCode.internal, message: "the server's error is not an object" };
  const { code, message, data } = error;
  return {
    code: typeof code === "number" ? code : rpcCode.internal,
    message: typeof message === "string" ? message : "no reason given",
    ...(data !== undefined && { data }),
  };
}
