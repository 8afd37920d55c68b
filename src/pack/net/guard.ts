import { lookup as systemLookup } from "node:dns/promises";
import { BiplaneError } from "../../errors.ts";
import { whyNotPublic } from "./addresses.ts";
import { allowList } from "./allow-list.ts";
import { Deadline } from "./deadline.ts";
import { exchange } from "./exchange.ts";
import { fetchFailure } from "./fetch-failure.ts";
import { Pace, waitFor } from "./pace.ts";
import type { PaceOptions, PaceRate } from "./pace.ts";
import { readBody } from "./read-body.ts";
import { retryAfterMs } from "./retry-after.ts";
import { firstStep, nextStep } from "./step.ts";
import type { Step } from "./step.ts";
import { parseTarget } from "./target.ts";
import type { Target } from "./target.ts";

export interface GuardOptions {
  /** The operator's exceptions: host names, addresses and ranges that may be reached although they are not public. */
  readonly allow?: readonly string[];
  /** Ports that may be reached. Left out: any. */
  readonly ports?: readonly number[];
  /** The largest answer, packed and unpacked: 5 MiB. */
  readonly maxBytes?: number;
  /** 5. */
  readonly maxRedirects?: number;
  /** For everything together, waiting and redirects included: 30 s. */
  readonly timeoutMs?: number;
  readonly userAgent?: string;
  /** How often one host is asked. Left out: as often as wanted. */
  readonly rate?: PaceRate;
  /** Certificates to trust instead of Node's own, in PEM. */
  readonly ca?: string;
  readonly lookup?: (hostname: string) => Promise<readonly string[]>;
  readonly now?: () => number;
  readonly wait?: PaceOptions["wait"];
}

export interface GuardedRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly maxRedirects?: number;
  /** How often to ask again when the host answers with Retry-After and there is time: never. */
  readonly retries?: number;
}

export interface GuardedResponse {
  /** Where the answer came from in the end. */
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A URL that may be reached, and the addresses it was found at. */
export interface CheckedUrl {
  readonly url: string;
  readonly hostname: string;
  readonly port: number;
  readonly addresses: readonly string[];
}

export interface Guard {
  /** Fetches what is on the public internet, or allowed. Messages of errors name the origin, never the whole URL. */
  fetch(url: string, request?: GuardedRequest): Promise<GuardedResponse>;
  /** Says where a URL leads, or throws where it must not be reached. Connect to these addresses, not to the name. */
  check(url: string, options?: { signal?: AbortSignal }): Promise<CheckedUrl>;
}

/**
 * Makes a fetch that cannot be talked into reaching this machine or its network: each address is checked after the
 * name was looked up, at every redirect, and the connection goes to the address that was checked. It keeps no
 * cookies and uses no proxy.
 */
export function createGuard(options: GuardOptions = {}): Guard {
  const { now = Date.now, lookup = lookUp, timeoutMs = 30_000, maxBytes = 5 * 2 ** 20, maxRedirects = 5 } = options;
  const allowed = allowList(options.allow ?? []);
  const pace = new Pace({ now, rate: options.rate, wait: options.wait ?? waitFor });

  const locate = async (target: Target, deadline: Deadline): Promise<readonly string[]> => {
    const { hostname, port, isAddress } = target;
    if (options.ports && !options.ports.includes(port)) {
      throw refused(`port ${port} of ${hostname} may not be reached`);
    }
    const addresses = isAddress ? [hostname] : await deadline.race(lookup(hostname));
    if (addresses.length === 0) throw new BiplaneError("EXECUTION_ERROR", `${hostname} has no address`);
    if (allowed.hasHost(hostname)) return addresses;
    for (const address of addresses) {
      const why = allowed.hasAddress(address) ? undefined : whyNotPublic(address);
      // The address itself is not told: what a name means in this network is nobody's business.
      if (why) throw refused(`${hostname} ${isAddress ? "is" : "leads to"} ${why} and may not be reached`);
    }
    return addresses;
  };

  const follow = async (first: Step, request: GuardedRequest, deadline: Deadline): Promise<GuardedResponse> => {
    for (let step = first, hop = 0; ; hop++) {
      const { target } = step;
      const { origin } = target.url;
      try {
        await pace.turn(target.hostname, deadline);
        const addresses = await locate(target, deadline);
        const headers = { ...(options.userAgent && { "user-agent": options.userAgent }), ...step.headers };
        const response = await exchange({ ...step, headers }, { addresses, ca: options.ca, signal: deadline.signal });
        const { statusCode: status = 0, statusMessage: statusText = "" } = response;
        if (status === 429 || status === 503) {
          const askedMs = retryAfterMs(response.headers["retry-after"], now());
          if (askedMs !== undefined) pace.hold(target.hostname, askedMs);
        }
        const next = nextStep(step, status, response.headers);
        if (!next) {
          const limits = { maxBytes: request.maxBytes ?? maxBytes, origin, signal: deadline.signal };
          const body = await readBody(response, limits);
          return { url: target.url.href, status, statusText, headers: flat(response.headers), body };
        }
        response.destroy();
        if (hop >= (request.maxRedirects ?? maxRedirects)) throw tooManyRedirects(first.target.url.origin, hop);
        step = next;
      } catch (error) {
        throw fetchFailure(error, { origin, signal: deadline.signal });
      }
    }
  };

  return {
    fetch: async (url, request = {}) => {
      const first = firstStep(url, request);
      const limits = { signal: request.signal, now, what: first.target.url.origin };
      using deadline = new Deadline(request.timeoutMs ?? timeoutMs, limits);
      for (let attempt = 0; ; attempt++) {
        const response = await follow(first, request, deadline);
        if (attempt >= (request.retries ?? 0) || !asksToRetry(first.method, response)) return response;
        const askedMs = retryAfterMs(response.headers["retry-after"], now()) ?? 0;
        if (askedMs >= deadline.remaining) return response;
      }
    },
    check: async (url, { signal } = {}) => {
      const target = parseTarget(url);
      using deadline = new Deadline(timeoutMs, { signal, now, what: target.url.origin });
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

/** After 429 nothing was done; after 503 something may have been, which only matters for what changes things. */
function asksToRetry(method: string, { status, headers }: GuardedResponse): boolean {
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
  return new BiplaneError("EXECUTION_ERROR", `${origin} was still sending us elsewhere after ${hops} redirects`);
}

function refused(why: string): BiplaneError {
  return new BiplaneError("POLICY_DENIED", `${why}; an operator can allow it`);
}
