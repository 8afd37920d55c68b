import { tryParseJson } from "../../bounds/parse-json.ts";
import { BiplaneError } from "../../errors.ts";
import { isLoopback } from "../../transport/guard.ts";
import type { Params } from "../../protocol/rpc.ts";
import { readText } from "../read-text.ts";
import type { Fetch } from "./authorizer.ts";
import { isRecord } from "../../is-record.ts";

/**
 * A `fetch` for authorization servers: HTTPS or this machine only, no redirects, 30 seconds, 1 MiB. A remote `server`
 * cannot send it to services on this machine (SSRF).
 */
export function issuerFetch(server: string, fetch: Fetch): Fetch {
  const isLocal = isLoopback(new URL(server).hostname);
  return async (url, init) => {
    requireSecureUrl(String(url));
    if (!isLocal && isLoopback(new URL(url).hostname)) {
      const why = `${server} names ${String(url)} for authorization, which is on this machine.`;
      throw new BiplaneError("UNAUTHORIZED", why);
    }
    const response = await fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(30_000) });
    const text = await readText(response, 1024 * 1024);
    const nonce = response.headers.get("dpop-nonce");
    // Servers label JSON in many ways, so that the body decides. The reason for an error is in the body too.
    const headers = { "content-type": "application/json", ...(nonce !== null && { "dpop-nonce": nonce }) };
    return new Response(text === "" ? null : text, { status: response.status, headers });
  };
}

/** The object in a response; empty if there is none. */
export async function readRecord(response: Response): Promise<Params> {
  const body = tryParseJson(await response.text());
  return isRecord(body) ? body : {};
}

export function requireSecureUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === "https:" || (parsed?.protocol === "http:" && isLoopback(parsed.hostname))) return;
  throw new BiplaneError("UNAUTHORIZED", `${url} is not safe for credentials. Use an https:// address.`);
}
