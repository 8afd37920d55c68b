import { tryParseJson } from "../../bounds/parse-json.ts";
import { BiplaneError } from "../../errors.ts";
import { isLoopback } from "../../transport/guard.ts";
import type { Params } from "../../protocol/rpc.ts";
import { readText } from "../read-text.ts";
import type { Fetch } from "./authorizer.ts";
import { isRecord } from "../../is-record.ts";

/** A `fetch` for authorization servers: only to addresses that `checkIssuerUrl` allows, no redirects, 30 seconds, 1 MiB. */
export function issuerFetch(server: string, fetch: Fetch): Fetch {
  return async (url, init) => {
    checkIssuerUrl(server, url);
    const response = await fetch(url, {
      ...init,
      redirect: "error",
      signal: init?.signal ?? AbortSignal.timeout(30_000),
    });
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

/**
 * Throws unless the address is safe for credentials: HTTPS, or this machine. A remote `server` cannot name services on
 * this machine, neither for the program (SSRF) nor for the browser.
 */
export function checkIssuerUrl(server: string, named: unknown): void {
  const url = String(named);
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: "", hostname: "" };
  if (protocol !== "https:" && !(protocol === "http:" && isLoopback(hostname)))
    throw new BiplaneError(
      "UNAUTHORIZED",
      `${url.slice(0, 200)} is not safe for credentials. Use an https:// address.`,
    );
  if (isThisMachine(hostname) && !isThisMachine(new URL(server).hostname))
    throw new BiplaneError(
      "UNAUTHORIZED",
      `${server} names ${url.slice(0, 200)} for authorization, which is on this machine.`,
    );
}

/** Also the names of loopback that are not valid for our own servers. `URL` writes ::ffff:127.0.0.1 in hex. */
function isThisMachine(host: string): boolean {
  return (
    isLoopback(host) || /^(.*\.)?localhost\.?$|^0\.0\.0\.0$|^\[::(ffff:(7f[\da-f]{2}|0):[\da-f]{1,4})?\]$/.test(host)
  );
}
