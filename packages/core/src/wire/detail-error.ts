import type { HttpMessage, ResponseWriter } from "../transport/http-message.ts";
import type { Redactor } from "../call/redact/redactor.ts";
import { BiplaneError, messageOf } from "../errors.ts";
import { isRecord } from "../is-record.ts";
import { sendJson } from "../transport/http.ts";
import { errorResponse, readJson } from "./http-json.ts";
import { redactedJson } from "./redacted-json.ts";

/** An error as FastAPI sends it, `{"detail": …}`, which the clients of ORS and NeMo Gym read. */
export class DetailError extends Error {
  readonly status: number;
  readonly detail: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: unknown, headers: Readonly<Record<string, string>> = {}) {
    super(typeof detail === "string" ? detail : `HTTP ${status}`);
    this.status = status;
    this.detail = detail;
    this.headers = headers;
  }
}

/** Sends the result of `make` as JSON, or its error, without secrets. */
export async function answerDetail({ response, redactor }: AnswerDetailOptions, make: () => unknown): Promise<void> {
  try {
    sendJson(response, 200, redactedJson((await make()) ?? null, redactor()));
  } catch (error) {
    sendDetail(response, error, redactor());
  }
}

export interface AnswerDetailOptions {
  readonly response: ResponseWriter;
  readonly redactor: () => Redactor | undefined;
}

export function sendDetail(response: ResponseWriter, error: unknown, redactor: Redactor | undefined): void {
  const { status, detail, headers } = asDetail(error);
  sendJson(response, status, redactedJson({ detail }, redactor), headers);
}

function asDetail(error: unknown): Pick<DetailError, "status" | "detail" | "headers"> {
  if (error instanceof DetailError) return error;
  if (!(error instanceof BiplaneError)) return { status: 500, detail: messageOf(error), headers: {} };
  const { status, headers } = errorResponse(error);
  return { status, detail: error.message, headers: { ...(status === 503 && { "retry-after": "2" }), ...headers } };
}

/** Reads a JSON body that is an object. */
export async function readFields(request: HttpMessage, maxBytes: number): Promise<Record<string, unknown>> {
  const body = await readJson(request, { maxBytes });
  if (isRecord(body)) return body;
  throw invalidField([], { type: "model_attributes_type", msg: "Input should be a valid dictionary", input: body });
}

/** Refuses other fields than these. */
export function refuseOtherFields(
  fields: Readonly<Record<string, unknown>>,
  known: readonly string[],
  at: readonly string[] = [],
): void {
  const other = Object.keys(fields).find((key) => !known.includes(key));
  if (other === undefined) return;
  const issue = { type: "extra_forbidden", msg: "Extra inputs are not permitted", input: fields[other] };
  throw invalidField([...at, other.slice(0, 64)], issue);
}

export function invalidField(
  loc: readonly string[],
  { type, msg, input }: { type: string; msg: string; input: unknown },
): DetailError {
  const shown = input === undefined || typeof input === "object" ? null : input;
  return new DetailError(422, [{ type, loc: ["body", ...loc], msg, input: shown }]);
}
