import type { HttpMessage, ResponseWriter } from "../transport/http-message.ts";
import { BiplaneError, asBiplaneError, messageOf } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";
import type { Redactor } from "../call/redact/redactor.ts";
import type { ServerCore } from "../server/server-core.ts";
import { redactedJson } from "./redacted-json.ts";
import { sendJson } from "../transport/http.ts";
import { readRequestBody } from "./request-body.ts";
import type { RequestBodyOptions } from "./request-body.ts";
import { parseJson } from "../bounds/parse-json.ts";
import { isRecord } from "../is-record.ts";

/** The HTTP status of each error code. */
export const statusOf: { readonly [Code in ErrorCode]: number } = {
  INVALID_DEFINITION: 500,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  TOOL_NOT_FOUND: 404,
  NOT_FOUND: 404,
  INVALID_INPUT: 400,
  POLICY_DENIED: 403,
  APPROVAL_PENDING: 202,
  APPROVAL_REJECTED: 403,
  RATE_LIMITED: 429,
  TIMEOUT: 504,
  EXECUTION_ERROR: 500,
  CANCELLED: 499,
  CONFLICT: 409,
  EPISODE_ENDED: 409,
  CAPACITY: 503,
  NOT_SUPPORTED: 501,
  INTERNAL: 500,
};

/** Reads a JSON body. An empty body is an empty object; a bad one rejects with INVALID_INPUT. */
export async function readJson(request: HttpMessage, options: RequestBodyOptions): Promise<unknown> {
  const text = await new Promise<string | BiplaneError>((resolve) => readRequestBody(request, options, resolve));
  if (text instanceof BiplaneError) throw text;
  return text.trim() === "" ? {} : parseBody(text);
}

/** True for the Content-Type of JSON, with or without parameters. */
export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === "application/json") return true;
  return contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType);
}

/** Parses a body; a bad one throws INVALID_INPUT. */
export function parseBody(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    const why = error instanceof RangeError ? messageOf(error) : "is not JSON";
    throw new BiplaneError("INVALID_INPUT", `The body ${why}.`);
  }
}

/** Sends the result of `make` as JSON, or its error, without secrets. */
export async function answerWith({ response, server }: Answering, make: () => unknown): Promise<void> {
  try {
    sendJson(response, 200, redactedJson((await make()) ?? null, server.redactor));
  } catch (error) {
    sendError(response, asBiplaneError(error, "INTERNAL"), { redactor: server.redactor });
  }
}

export interface Answering {
  readonly response: ResponseWriter;
  readonly server: Pick<ServerCore, "redactor">;
}

/** Sends an error in the shape of all our own endpoints: `{ error, message }`, and the approval to wait for. */
export function sendError(response: ResponseWriter, error: BiplaneError, more: SendErrorOptions = {}): void {
  const { status, headers, body } = errorResponse(error);
  sendJson(response, more.status ?? status, redactedJson(body, more.redactor), { ...headers, ...more.headers });
}

export interface SendErrorOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly redactor?: Redactor | undefined;
}

/** The response for an error. */
export function errorResponse({ code, message, details }: BiplaneError): {
  status: number;
  headers: Record<string, string>;
  body: object;
} {
  const { retryAfterMs, approval } = details ?? {};
  return {
    status: statusOf[code],
    headers: typeof retryAfterMs === "number" ? { "retry-after": String(Math.ceil(retryAfterMs / 1000)) } : {},
    body: { error: code, message, ...(isRecord(approval) && { approval }) },
  };
}

/** Rejects a request with another method. */
export function refuseMethod(response: ResponseWriter, allow: string): void {
  const error = new BiplaneError("NOT_SUPPORTED", `Use ${allow}.`);
  sendError(response, error, { status: 405, headers: { allow } });
}
