import { BiplaneError, messageOf } from "../errors.ts";
import type { Authorizer, Fetch } from "./auth/authorizer.ts";
import { connectionLost } from "./connection-lost.ts";
import { readText } from "./read-text.ts";
import { resultIn } from "./response.ts";

export interface HttpExchangeOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly authorizer: Authorizer | undefined;
  readonly fetch: Fetch;
}

/** Sends one HTTP request with credentials. Retries after a 401 or 403 if the authorizer gets new ones. */
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
    const text = await readText(response, 65_536).catch(() => ""); // an error page of any size changes nothing
    // A server that wants more scopes can answer the call too, for clients that cannot get them.
    if (response.status === 403 && resultIn(text)) return new Response(text, { status: 403 });
    throw unauthorized(url, response, authorizer !== undefined);
  }
}

/** Follows redirects only within the origin, so that credentials never reach another server. */
async function send(url: string, init: RequestInit, fetch: Fetch): Promise<Response> {
  let at = url;
  for (let hops = 0; hops < 5; hops++) {
    const response = await reach(at, { ...init, redirect: "manual" }, fetch);
    const location = response.headers.get("location");
    if (![301, 302, 307, 308].includes(response.status) || location === null) return response;
    const next = new URL(location, at);
    if (next.origin !== new URL(url).origin || (init.method === "POST" && response.status < 307)) {
      throw new BiplaneError("EXECUTION_ERROR", `${url} redirects to ${next.href}. Connect to that address instead.`);
    }
    at = next.href;
  }
  throw new BiplaneError("EXECUTION_ERROR", `${url} redirects more than 5 times.`);
}

async function reach(url: string, init: RequestInit, fetch: Fetch): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw init.signal.reason;
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const { code = "", syscall } = cause as { code?: string; syscall?: string };
    // A request that was not written completely cannot have been executed.
    const delivered = neverArrived.includes(code) || syscall === "write" ? "no" : "unknown";
    throw connectionLost(`Cannot reach ${url} (${code || messageOf(cause)}).`, { delivered, cause: error });
  }
}

/** Errors that happen before a server sees the request. */
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
  const hint = hasCredentials
    ? "The credentials were not accepted."
    : "Pass credentials: `bearer` (on the command line --bearer), `headers` or `oauth`.";
  const details = { status, challenge: response.headers.get("www-authenticate") ?? undefined };
  return new BiplaneError(status === 403 ? "FORBIDDEN" : "UNAUTHORIZED", `${url} answered ${status}. ${hint}`, {
    details,
  });
}
