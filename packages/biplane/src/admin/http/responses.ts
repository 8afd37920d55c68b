import { BiplaneError } from "@biplane/core";
import type { ErrorCode } from "@biplane/core";
import { errorResponse } from "@biplane/core/internal";
import type { EndpointResponse } from "@biplane/core/internal";

export function forbidden(message: string): EndpointResponse {
  return errorResponse(new BiplaneError("FORBIDDEN", message));
}

export function unauthorized(message: string): EndpointResponse {
  const response = errorResponse(new BiplaneError("UNAUTHORIZED", message));
  return { ...response, headers: { "www-authenticate": 'Bearer realm="people"' } };
}

/** The response for an error, or undefined if people should not see it. */
export function toErrorResponse(error: unknown): EndpointResponse | undefined {
  if (!(error instanceof BiplaneError) || faults.has(error.code)) return undefined;
  return error.code === "UNAUTHORIZED" ? unauthorized(error.message) : errorResponse(error);
}

/** Errors of the program rather than of the request. Their text may be about the host. */
const faults: ReadonlySet<ErrorCode> = new Set(["INVALID_DEFINITION", "EXECUTION_ERROR", "INTERNAL", "CANCELLED"]);
