import { BiplaneError } from "@biplane/core";

/** Converts a fetch error to a `BiplaneError`. The message names only the origin, because the path can be a secret. */
export function fetchFailure(error: unknown, options: { origin: string; signal: AbortSignal }): BiplaneError {
  if (error instanceof BiplaneError) return error;
  const { origin, signal } = options;
  if (signal.aborted && signal.reason instanceof BiplaneError) return signal.reason;
  const code = codeOf(error);
  return new BiplaneError("EXECUTION_ERROR", `${origin} could not be fetched: ${reasons[code] ?? other(code)}.`, {
    cause: error,
  });
}

const reasons: Record<string, string> = {
  ENOTFOUND: "there is no host with that name",
  EAI_AGAIN: "its name could not be resolved",
  ECONNREFUSED: "it refused the connection",
  ECONNRESET: "it closed the connection",
  ETIMEDOUT: "it cannot be reached",
  EHOSTUNREACH: "it cannot be reached",
  ENETUNREACH: "it cannot be reached",
  EPIPE: "it closed the connection",
  ERR_STREAM_PREMATURE_CLOSE: "its response was cut off",
  Z_DATA_ERROR: "its response cannot be decompressed",
  Z_BUF_ERROR: "its response was cut off",
  HPE_HEADER_OVERFLOW: "its response headers are too long",
};

function other(code: string): string {
  if (/CERT|SELF_SIGNED|ISSUER/.test(code)) return `its certificate is not trusted (${code})`;
  if (code.startsWith("HPE_")) return `its response is not HTTP (${code})`;
  return code === "" ? "the connection failed" : `the connection failed (${code})`;
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[A-Z0-9_]+$/.test(code) ? code : "";
}
