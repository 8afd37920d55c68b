import { tryParseJson } from "../../bounds/parse-json.ts";
import { BiplaneError, messageOf } from "../../errors.ts";
import type { ErrorCode } from "../../errors.ts";
import { isRecord } from "../../is-record.ts";
import type { JsonObject } from "../../tool/schema.ts";
import { authorizedHeaders } from "./connect-options.ts";
import type { ConnectEnvironmentOptions } from "./connect-options.ts";
import type { HttpClient, HttpClientRequest, HttpClientResponse } from "./http-client.ts";

export interface RequestJsonOptions {
  readonly http: HttpClient;
  readonly options: ConnectEnvironmentOptions;
  readonly method: HttpClientRequest["method"];
  readonly body?: JsonObject;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a JSON request. An error status throws with the server's message and the matching code. */
export async function requestJson(
  url: string,
  request: RequestJsonOptions,
): Promise<{ body: unknown; headers: HttpClientResponse["headers"] }> {
  const { http, options, method, body, timeoutMs = 15_000, signal } = request;
  const headers = await authorizedHeaders(options);
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await http.send({ method, url, headers, ...text, timeoutMs, signal }).catch((error: unknown) => {
    if (error instanceof BiplaneError) throw error;
    throw new BiplaneError("EXECUTION_ERROR", `Cannot reach ${url} (${messageOf(error)}).`, { cause: error });
  });
  const { status } = response;
  const answer = tryParseJson(response.text);
  if (status >= 200 && status < 300) return { body: answer, headers: response.headers };
  const message = messageIn(answer) ?? `${url} answered with HTTP status ${status}.`;
  throw new BiplaneError(codes.get(status) ?? "EXECUTION_ERROR", message, { details: { status } });
}

const codes: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [400, "INVALID_INPUT"],
  [401, "UNAUTHORIZED"],
  [403, "FORBIDDEN"],
  [404, "NOT_SUPPORTED"],
  [405, "NOT_SUPPORTED"],
  [409, "EPISODE_ENDED"],
  [422, "INVALID_INPUT"],
  [429, "RATE_LIMITED"],
  [501, "NOT_SUPPORTED"],
  [503, "CAPACITY"],
  [504, "TIMEOUT"],
]);

/** The `message`, that of Eval Protocol's `{ error }`, or of OpenEnv's `{ detail }`, which may be a list of faults. */
function messageIn(answer: unknown): string | undefined {
  const { message, error, detail } = isRecord(answer) ? answer : {};
  const [first] = Array.isArray(detail) ? (detail as readonly unknown[]) : [detail];
  return [message, error, isRecord(first) ? first["msg"] : first].find((each) => typeof each === "string");
}
