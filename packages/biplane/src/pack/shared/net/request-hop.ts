import type { IncomingHttpHeaders } from "node:http";
import { BiplaneError } from "@biplane/core";
import { parseRequestUrl } from "./request-target.ts";
import type { RequestTarget } from "./request-target.ts";

/** One request in a chain of redirects. */
export interface RequestHop {
  readonly target: RequestTarget;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

export function firstHop(
  url: string,
  request: {
    method?: string | undefined;
    headers?: Readonly<Record<string, string>> | undefined;
    body?: string | Uint8Array | undefined;
  },
): RequestHop {
  const method = (request.method ?? "GET").toUpperCase();
  if (!methods.has(method))
    throw new BiplaneError("INVALID_INPUT", "The method must be GET, HEAD, POST, PUT, PATCH or DELETE.");
  const body = typeof request.body === "string" ? Buffer.from(request.body) : request.body;
  if (body && (method === "GET" || method === "HEAD")) {
    throw new BiplaneError("INVALID_INPUT", `A ${method} request cannot have a body.`);
  }
  return { target: parseRequestUrl(url), method, headers: checkedHeaders(request.headers ?? {}), body };
}

/** The next request of a redirect, or undefined. Headers that can be credentials are not sent to another origin. */
export function nextHop(hop: RequestHop, status: number, headers: IncomingHttpHeaders): RequestHop | undefined {
  const { location } = headers;
  if (!redirects.has(status) || location === undefined) return undefined;
  const from = hop.target.url;
  const target = parseRequestUrl(location, from);
  if (target.url.hash === "") target.url.hash = from.hash;
  const keepsMethod = status === 307 || status === 308 || hop.method === "GET" || hop.method === "HEAD";
  const isOtherOrigin = target.url.origin !== from.origin;
  if (keepsMethod && hop.body && isOtherOrigin) {
    throw new BiplaneError(
      "EXECUTION_ERROR",
      `${from.origin} redirects the request body to another host, which is not allowed.`,
    );
  }
  const method = keepsMethod ? hop.method : "GET";
  const body = keepsMethod ? hop.body : undefined;
  const kept = Object.entries(hop.headers).filter(
    ([name]) => (!isOtherOrigin || forwarded.has(name)) && (body !== undefined || !name.startsWith("content-")),
  );
  return { target, method, headers: Object.fromEntries(kept), body };
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);
const redirects = new Set([301, 302, 303, 307, 308]);
const forwarded = new Set(["accept", "accept-language", "user-agent"]);

/** Callers cannot set connection headers. A custom Host header could reach another site. */
const reserved =
  /^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|proxy-.*)$/;

function checkedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase();
    if (reserved.test(name)) throw new BiplaneError("INVALID_INPUT", `The header ${name} cannot be set.`);
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new BiplaneError(
        "INVALID_INPUT",
        `The header ${JSON.stringify(given).slice(0, 60)} has an invalid name or value.`,
      );
    }
    checked[name] = value;
  }
  return checked;
}
