import type { IncomingHttpHeaders } from "node:http";
import { BiplaneError } from "../../errors.ts";
import { parseTarget } from "./target.ts";
import type { Target } from "./target.ts";

/** One request of a chain of redirects. */
export interface Step {
  readonly target: Target;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

export function firstStep(
  url: string,
  request: {
    method?: string | undefined;
    headers?: Readonly<Record<string, string>> | undefined;
    body?: string | Uint8Array | undefined;
  },
): Step {
  const method = (request.method ?? "GET").toUpperCase();
  if (!methods.has(method))
    throw new BiplaneError("INVALID_INPUT", "the method must be GET, HEAD, POST, PUT, PATCH or DELETE");
  const body = typeof request.body === "string" ? Buffer.from(request.body) : request.body;
  if (body && (method === "GET" || method === "HEAD")) {
    throw new BiplaneError("INVALID_INPUT", `a ${method} request has no body`);
  }
  return { target: parseTarget(url), method, headers: checkedHeaders(request.headers ?? {}), body };
}

/** Where an answer sends us on to, if it does. What could be a credential stays with the origin it was meant for. */
export function nextStep(step: Step, status: number, headers: IncomingHttpHeaders): Step | undefined {
  const { location } = headers;
  if (!redirects.has(status) || location === undefined) return undefined;
  const from = step.target.url;
  const target = parseTarget(location, from);
  if (target.url.hash === "") target.url.hash = from.hash;
  const keepsMethod = status === 307 || status === 308 || step.method === "GET" || step.method === "HEAD";
  const isElsewhere = target.url.origin !== from.origin;
  if (keepsMethod && step.body && isElsewhere) {
    throw new BiplaneError("EXECUTION_ERROR", `${from.origin} wants what was sent to it to be sent to another host`);
  }
  const method = keepsMethod ? step.method : "GET";
  const body = keepsMethod ? step.body : undefined;
  const kept = Object.entries(step.headers).filter(
    ([name]) => (!isElsewhere || harmless.has(name)) && (body !== undefined || !name.startsWith("content-")),
  );
  return { target, method, headers: Object.fromEntries(kept), body };
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);
const redirects = new Set([301, 302, 303, 307, 308]);
const harmless = new Set(["accept", "accept-language", "user-agent"]);

/** What belongs to the connection is ours to set: a Host of the caller's choice would reach another site. */
const ours =
  /^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|proxy-.*)$/;

function checkedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase();
    if (ours.test(name)) throw new BiplaneError("INVALID_INPUT", `the header ${name} is not the caller's to set`);
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new BiplaneError("INVALID_INPUT", `the header ${JSON.stringify(given).slice(0, 60)} cannot be sent`);
    }
    checked[name] = value;
  }
  return checked;
}
