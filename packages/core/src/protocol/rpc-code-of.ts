import type { ErrorCode } from "../errors.ts";
import { rpcCode } from "./protocol.ts";

/** The JSON-RPC code of a failed call. Undefined if MCP tells the failure as a result with `isError`. */
export function rpcCodeOf(code: ErrorCode): number | undefined {
  return protocolErrors[code];
}

const protocolErrors: { readonly [Code in ErrorCode]?: number } = {
  UNAUTHORIZED: rpcCode.server,
  TOOL_NOT_FOUND: rpcCode.invalidParams,
  RATE_LIMITED: rpcCode.server,
  CAPACITY: rpcCode.server,
  INTERNAL: rpcCode.internal,
};
