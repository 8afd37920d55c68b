import { BiplaneError, messageOf } from "../errors.ts";
import type { Authorizer, Fetch } from "./auth/authorizer.ts";
import { lost } from "./lost.ts";

export interface HttpExchangeOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly authorizer: Authorizer | undefined;
  readonly fetch: Fetch;
}

/** One HTTP request to a server, with credentials, tried again where these were refused and can be had anew. */
export async function httpExchange(
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal: AbortSignal },
  options: HttpExchangeOptions,
): Promise<Response> {
  const { authorizer } = options;
  for (let attempt = 1; ; attempt++) {
    const credentials = await authorizer?.headers({ method: init.method, url });
    const headers = { ...options.headers, ...credentials, ...init.headers };
    const response = await send(url, { ...init, headers }, options.fetch);
    if (response.status !== 401 && response.status !== 403) return response;
    const refusal = { url, status: response.status, headers: response.headers, attempt };
    if (await authorizer?.refused(refusal)) {
      await response.body?.cancel();
      continue;
    }
    throw unauthorized(url, response, authorizer !== undefined);
  }
}

/** Credentials must not follow a redirect to somebody else's server, so only those within the origin are followed. */
async function send(url: string, init: RequestInit, fetch: Fetch): Promise<Response> {
  let at = url;
  for (let hops = 0; hops < 5; hops++) {
    const response = await reach(at, { ...init, redirect: "manual" }, fetch);
    const location = response.headers.get("location");
    if (![301, 302, 307, 308].includes(response.status) || location === null) return response;
    const next = new URL(location, at);
    if (next.origin !== new URL(url).origin || (init.method === "POST" && response.status < 307)) {
      throw new BiplaneError("EXECUTION_ERROR", `${url} has moved to ${next.href}; connect to that address instead`);
    }
    at = next.href;
  }
  throw new BiplaneError("EXECUTION_ERROR", `${url} redirects without end`);
}

async function reach(url: string, init: RequestInit, fetch: Fetch): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw init.signal.reason;
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const { code = "", syscall } = cause as { code?: string; syscall?: string };
    // A request that could not be written to its end cannot have been read to its end.
    const delivered = neverArrived.includes(code) || syscall === "write" ? "no" : "unknown";
    throw lost(`cannot reach ${url} (${code || messageOf(cause)})`, { delivered, cause: error });
  }
}

/** Failures in which no server has seen the request. */
const neverArrived = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
];

function unauthorized(url: string, response: Response, hasCredentials: boolean): BiplaneError {
  const { status } = response;
  void response.body?.cancel();
  const wayOut = hasCredentials ? "the credentials given were not accepted" : "give `bearer`, `headers` or `oauth`";
  const details = { status, challenge: response.headers.get("www-authenticate") ?? undefined };
  return new BiplaneError("UNAUTHORIZED", `${url} answered ${status}: ${wayOut}`, { details });
}
