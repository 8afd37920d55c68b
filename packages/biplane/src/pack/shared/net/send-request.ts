import * as http from "node:http";
import * as https from "node:https";
import { isIP } from "node:net";
import type { LookupFunction } from "node:net";
import type { RequestHop } from "./request-hop.ts";

/** The global agents may keep connections open or use a proxy from the environment. */
const plainAgent = new http.Agent({ keepAlive: false });
const secureAgent = new https.Agent({ keepAlive: false });

/**
 * Sends one request to checked addresses and returns the response head. The name is not resolved again, which prevents
 * DNS rebinding.
 */
export function sendRequest(
  hop: RequestHop,
  options: { addresses: readonly string[]; ca: string | undefined; signal: AbortSignal },
): Promise<http.IncomingMessage> {
  const { target, method, headers, body } = hop;
  const { url, hostname, port } = target;
  const isSecure = url.protocol === "https:";
  const request = (isSecure ? https : http).request({
    agent: isSecure ? secureAgent : plainAgent,
    host: hostname,
    port,
    path: url.pathname + url.search,
    method,
    headers: {
      "accept-encoding": "gzip, br",
      ...headers,
      host: url.host.replace(/\.(?=:|$)/, ""),
      ...(body && { "content-length": body.length }),
    },
    lookup: fixedLookup(options.addresses),
    signal: options.signal,
    ...(isSecure && !target.isAddress && { servername: hostname }),
    ...(isSecure && options.ca !== undefined && { ca: options.ca }),
  });
  return new Promise((resolve, reject) => {
    request.once("response", resolve);
    // Keep this listener: a connection can still fail after its response was read.
    request.on("error", reject);
    request.end(body);
  });
}

/** A lookup function that returns checked addresses. */
export function fixedLookup(addresses: readonly string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, { all }, callback) => {
    const [first] = known;
    if (all) callback(null, known);
    else callback(null, first?.address ?? "", first?.family);
  };
}
