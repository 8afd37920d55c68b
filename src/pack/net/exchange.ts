import * as http from "node:http";
import * as https from "node:https";
import { isIP } from "node:net";
import type { LookupFunction } from "node:net";
import type { Step } from "./step.ts";

/** Agents of our own: the global ones may keep connections open or go through a proxy of the environment. */
const plainAgent = new http.Agent({ keepAlive: false });
const secureAgent = new https.Agent({ keepAlive: false });

/**
 * Sends one request to addresses that were checked already, and gives the answer's head. The name is not looked up
 * again, so it cannot have come to mean another machine since.
 */
export function exchange(
  step: Step,
  options: { addresses: readonly string[]; ca: string | undefined; signal: AbortSignal },
): Promise<http.IncomingMessage> {
  const { target, method, headers, body } = step;
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
    lookup: knownAddresses(options.addresses),
    signal: options.signal,
    ...(isSecure && !target.isAddress && { servername: hostname }),
    ...(isSecure && options.ca !== undefined && { ca: options.ca }),
  });
  return new Promise((resolve, reject) => {
    request.once("response", resolve);
    // Stays for good: a connection may still fail after its answer was read or thrown away.
    request.on("error", reject);
    request.end(body);
  });
}

/** Answers a lookup with addresses that were checked already. */
export function knownAddresses(addresses: readonly string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, { all }, callback) => {
    const [first] = known;
    if (all) callback(null, known);
    else callback(null, first?.address ?? "", first?.family);
  };
}
