import { BiplaneError } from "@biplane/core";
import { createRedactor } from "@biplane/core/internal";
import type { HttpCassette } from "./http-cassette.ts";
import { createNetworkGuard } from "./network-guard.ts";
import type { GuardedResponse, NetworkOverrides } from "./network-guard.ts";
import { waitFor } from "./host-rate-limit.ts";
import { parseRequestUrl } from "./request-target.ts";
import type { Redacting } from "../shorten-text.ts";
import { retryAfterMs } from "./retry-after.ts";

export interface RestOptions {
  /** The service's name in error messages. */
  readonly name: string;
  readonly baseUrl: string;
  /** The service's own base URL. Any other is configured, so its host may be internal, but not its redirect targets. */
  readonly publicUrl: string;
  readonly userAgent: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Values to redact from error messages. */
  readonly secrets?: readonly string[];
  /** Extracts the error message from a response. */
  readonly explain?: ((data: unknown) => string | undefined) | undefined;
  readonly network?: NetworkOverrides;
  readonly cassette?: HttpCassette | undefined;
}

export interface RestRequest {
  readonly method: "GET" | "POST";
  /** Path segments. Each is escaped. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly signal: AbortSignal;
  /** Knows more secrets to redact from error messages. */
  readonly redacting?: Redacting;
}

/** Calls a JSON API. Throws for any status but 2xx. Waits for a short Retry-After and reports a long one. */
export type RestClient = (request: RestRequest) => Promise<Pick<GuardedResponse, "headers"> & { data: unknown }>;

export function createRestClient(options: RestOptions): RestClient {
  const { name, baseUrl, publicUrl, userAgent, network = {} } = options;
  const { now = Date.now, wait = waitFor } = network;
  const allow = baseUrl === publicUrl ? [] : [parseRequestUrl(baseUrl).hostname];
  const guard = createNetworkGuard({ ...network, allow, userAgent, cassette: options.cassette });
  return async (request) => {
    const { method, body, signal } = request;
    const url = addressOf(baseUrl, request);
    const headers = { ...options.headers, ...(body !== undefined && { "content-type": "application/json" }) };
    for (let attempt = 0; ; attempt++) {
      const content = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await guard.fetch(url, { method, headers, signal, timeoutMs: 25_000, ...content });
      const data = parsed(response, name);
      const { status } = response;
      if (status >= 200 && status < 300) return { headers: response.headers, data };
      const limitMs = limitOf(response, data, now());
      if (limitMs === undefined) throw failure(options, response, explanationOf(data, options, request));
      if (attempt >= maxRetries || limitMs > maxWaitMs) throw limited(options, limitMs, now());
      await wait(limitMs, signal);
    }
  };
}

const maxRetries = 2;
const maxWaitMs = 8000;

function addressOf(baseUrl: string, { path, query = {} }: RestRequest): string {
  const url = new URL(baseUrl);
  const segments = path.map((segment) => {
    if (segment === "" || segment === "." || segment === "..") {
      throw new BiplaneError("INVALID_INPUT", `${JSON.stringify(segment.slice(0, 100))} cannot be part of a URL path.`);
    }
    // Not every service accepts these two escaped.
    return encodeURIComponent(segment).replaceAll("%3A", ":").replaceAll("%40", "@");
  });
  url.pathname = [url.pathname.replace(/\/+$/, ""), ...segments].join("/");
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(key, String(value));
  }
  return url.href;
}

function parsed({ body, status }: GuardedResponse, name: string): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch (error) {
    if (status >= 400) return undefined;
    throw new BiplaneError("EXECUTION_ERROR", `${name} answered with a body that is not JSON.`, { cause: error });
  }
}

/** The wait time of a rate-limited response. Undefined for other responses. */
function limitOf({ status, headers }: GuardedResponse, data: unknown, now: number): number | undefined {
  if (status !== 429 && status !== 403) return undefined;
  const asked = retryAfterMs(headers["retry-after"], now) ?? secondsIn(data);
  if (asked !== undefined) return asked;
  if (headers["x-ratelimit-remaining"] === "0") {
    return Math.max(0, Number(headers["x-ratelimit-reset"] ?? 0) * 1000 - now);
  }
  return status === 429 ? 60_000 : undefined;
}

/** Discord sends `retry_after` at the top level, Telegram in `parameters`. */
function secondsIn(data: unknown): number | undefined {
  const { retry_after: top, parameters } = recordOrEmpty(data);
  const seconds = top ?? recordOrEmpty(parameters)["retry_after"];
  return typeof seconds === "number" && seconds >= 0 ? Math.ceil(seconds * 1000) : undefined;
}

function failure({ name }: RestOptions, { status, statusText }: GuardedResponse, explanation: string): BiplaneError {
  const head = `${name} answered ${status}${statusText && ` ${statusText}`}`;
  const message = explanation === "" ? head : `${head}: ${explanation}`;
  return new BiplaneError("EXECUTION_ERROR", message, { details: { status } });
}

function limited({ name }: RestOptions, waitMs: number, now: number): BiplaneError {
  const seconds = Math.ceil(waitMs / 1000);
  const when = new Date(now + waitMs).toISOString().replace(/\.\d+Z$/, "Z");
  return new BiplaneError(
    "EXECUTION_ERROR",
    `${name} is rate limiting its API. Try again in ${seconds} s, at ${when}.`,
    {
      details: { retryAfterMs: waitMs },
    },
  );
}

/** Why a request failed, in one line. Secrets are replaced before the cut, which could divide one. */
function explanationOf(data: unknown, { explain, secrets = [] }: RestOptions, { redacting }: RestRequest): string {
  const text = explain?.(data) ?? "";
  const own = createRedactor(secrets.map((value) => ({ name: "SECRET", value })));
  const line = own
    .text(redacting?.redact(text) ?? text)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

/** The value if it is an object, else an empty object. */
export function recordOrEmpty(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
