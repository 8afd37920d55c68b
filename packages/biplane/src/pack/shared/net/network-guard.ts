import { lookup as systemLookup } from "node:dns/promises";
import { BiplaneError } from "@biplane/core";
import { nonPublicKind } from "./addresses.ts";
import { allowList } from "./allow-list.ts";
import { FetchDeadline } from "./fetch-deadline.ts";
import { sendRequest } from "./send-request.ts";
import { fetchFailure } from "./fetch-failure.ts";
import type { HttpCassette } from "./http-cassette.ts";
import { HostRateLimit, waitFor } from "./host-rate-limit.ts";
import type { HostRateLimitOptions, HostRate } from "./host-rate-limit.ts";
import { readResponseBody } from "./read-response-body.ts";
import { retryAfterMs } from "./retry-after.ts";
import { firstHop, nextHop } from "./request-hop.ts";
import type { RequestHop } from "./request-hop.ts";
import { parseRequestUrl } from "./request-target.ts";
import type { RequestTarget } from "./request-target.ts";

export interface NetworkGuardOptions {
  /** Non-public host names, addresses and CIDR ranges to allow. */
  readonly allow?: readonly string[];
  /** Allowed ports (default: all). */
  readonly ports?: readonly number[];
  /** Maximum response size, compressed and decompressed (default: 5 MiB). */
  readonly maxBytes?: number;
  /** (default: 5) */
  readonly maxRedirects?: number;
  /** Time limit of a request, including waiting and redirects (default: 30 s). */
  readonly timeoutMs?: number;
  readonly userAgent?: string;
  /** Rate limit per host (default: none). */
  readonly rate?: HostRate;
  /** CA certificates in PEM format, instead of Node's. */
  readonly ca?: string;
  /** Answers requests in place of the network. */
  readonly cassette?: HttpCassette | undefined;
  readonly lookup?: (hostname: string) => Promise<readonly string[]>;
  readonly now?: (() => number) | undefined;
  readonly wait?: HostRateLimitOptions["wait"];
}

/** Replaces the network and the clock in tests. */
export type NetworkOverrides = Pick<NetworkGuardOptions, "lookup" | "now" | "wait">;

export interface GuardedRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly maxRedirects?: number;
  /** Retries after a response with Retry-After, if the time limit allows (default: 0). */
  readonly retries?: number;
}

export interface GuardedResponse {
  /** The final URL, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** An allowed URL and its resolved addresses. */
export interface CheckedUrl {
  readonly url: string;
  readonly hostname: string;
  readonly port: number;
  readonly addresses: readonly string[];
}

export interface NetworkGuard {
  /** Fetches a public or allowed URL. Error messages name the origin, never the whole URL. */
  fetch(url: string, request?: GuardedRequest): Promise<GuardedResponse>;
  /** Resolves a URL, or throws if it is not allowed. Connect to the returned addresses, not to the name. */
  check(url: string, options?: { signal?: AbortSignal }): Promise<CheckedUrl>;
}

/**
 * Creates a fetch that is safe against SSRF. It resolves the name at every redirect, rejects non-public addresses, and
 * connects to the checked address. It keeps no cookies and uses no proxy.
 */
export function createNetworkGuard(options: NetworkGuardOptions = {}): NetworkGuard {
  const { now = Date.now, lookup = lookUp, timeoutMs = 30_000, maxBytes = 5 * 2 ** 20, maxRedirects = 5 } = options;
  const allowed = allowList(options.allow ?? []);
  const rateLimit = new HostRateLimit({ now, rate: options.rate, wait: options.wait ?? waitFor });

  const locate = async (target: RequestTarget, deadline: FetchDeadline): Promise<readonly string[]> => {
    const { hostname, port, isAddress } = target;
    if (options.ports && !options.ports.includes(port)) {
      throw denied(`Port ${port} of ${hostname} is not allowed`);
    }
    const addresses = isAddress ? [hostname] : await deadline.race(lookup(hostname));
    if (addresses.length === 0) throw new BiplaneError("EXECUTION_ERROR", `${hostname} has no IP address.`);
    if (allowed.hasHost(hostname)) return addresses;
    for (const address of addresses) {
      const kind = allowed.hasAddress(address) ? undefined : nonPublicKind(address);
      // The message omits the address, so that callers cannot map the internal network.
      if (kind) throw denied(`${hostname} ${isAddress ? "is" : "resolves to"} ${kind}, which is not allowed`);
    }
    return addresses;
  };

  const follow = async (
    first: RequestHop,
    request: GuardedRequest,
    deadline: FetchDeadline,
  ): Promise<GuardedResponse> => {
    for (let hop = first, redirects = 0; ; redirects++) {
      const { target } = hop;
      const { origin } = target.url;
      try {
        await rateLimit.acquire(target.hostname, deadline);
        const addresses = await locate(target, deadline);
        const headers = { ...(options.userAgent && { "user-agent": options.userAgent }), ...hop.headers };
        const response = await sendRequest({ ...hop, headers }, { addresses, ca: options.ca, signal: deadline.signal });
        const { statusCode: status = 0, statusMessage: statusText = "" } = response;
        if (status === 429 || status === 503) {
          const retryMs = retryAfterMs(response.headers["retry-after"], now());
          if (retryMs !== undefined) rateLimit.pause(target.hostname, retryMs);
        }
        const next = nextHop(hop, status, response.headers);
        if (!next) {
          const limits = { maxBytes: request.maxBytes ?? maxBytes, origin, signal: deadline.signal };
          const body = await readResponseBody(response, limits);
          return { url: target.url.href, status, statusText, headers: flat(response.headers), body };
        }
        response.destroy();
        if (redirects >= (request.maxRedirects ?? maxRedirects))
          throw tooManyRedirects(first.target.url.origin, redirects);
        hop = next;
      } catch (error) {
        throw fetchFailure(error, { origin, signal: deadline.signal });
      }
    }
  };

  const send = async (first: RequestHop, request: GuardedRequest): Promise<GuardedResponse> => {
    const limits = { signal: request.signal, now, what: first.target.url.origin };
    using deadline = new FetchDeadline(request.timeoutMs ?? timeoutMs, limits);
    for (let attempt = 0; ; attempt++) {
      const response = await follow(first, request, deadline);
      if (attempt >= (request.retries ?? 0) || !canRetry(first.method, response)) return response;
      const retryMs = retryAfterMs(response.headers["retry-after"], now()) ?? 0;
      if (retryMs >= deadline.remaining) return response;
    }
  };

  return {
    fetch: async (url, request = {}) => {
      const first = firstHop(url, request);
      if (!options.cassette) return send(first, request);
      const { method, target, body } = first;
      const asked = { method, url: target.url.href, body: body && Buffer.from(body).toString() };
      return options.cassette.answer(asked, () => send(first, request));
    },
    check: async (url, { signal } = {}) => {
      const target = parseRequestUrl(url);
      using deadline = new FetchDeadline(timeoutMs, { signal, now, what: target.url.origin });
      try {
        const { hostname, port } = target;
        return { url: target.url.href, hostname, port, addresses: await locate(target, deadline) };
      } catch (error) {
        throw fetchFailure(error, { origin: target.url.origin, signal: deadline.signal });
      }
    },
  };
}

async function lookUp(hostname: string): Promise<readonly string[]> {
  return (await systemLookup(hostname, { all: true })).map(({ address }) => address);
}

/** A 429 request was not processed. A 503 request may have been, so only safe methods are retried. */
function canRetry(method: string, { status, headers }: GuardedResponse): boolean {
  if (headers["retry-after"] === undefined) return false;
  return status === 429 || (status === 503 && (method === "GET" || method === "HEAD"));
}

function flat(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name === "set-cookie" ? [] : [[name, String(value)] as const],
  );
  return Object.fromEntries(entries);
}

function tooManyRedirects(origin: string, hops: number): BiplaneError {
  return new BiplaneError("EXECUTION_ERROR", `${origin} still redirected after ${hops} redirects.`);
}

function denied(reason: string): BiplaneError {
  return new BiplaneError("POLICY_DENIED", `${reason}. An operator can allow it in the configuration.`);
}
