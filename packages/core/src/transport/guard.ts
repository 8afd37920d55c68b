import type { IncomingMessage } from "node:http";

/** Checks the Host and Origin headers. Returns the reason to reject, or undefined. */
export type RequestGuard = (
  request: Pick<IncomingMessage, "method" | "headers"> & { readonly url?: string | undefined },
) => string | undefined;

/**
 * Protects a local server from web pages. A page that uses DNS rebinding to reach 127.0.0.1 still sends its own name as
 * Host, and cross-site requests carry an Origin.
 */
export function createRequestGuard(options: {
  host: string;
  allowedHosts?: readonly string[] | undefined;
  allowedOrigins?: readonly string[] | undefined;
  /** The scheme of pages on this host, such as `https:` (default: both). */
  scheme?: string | undefined;
}): RequestGuard {
  const { host, allowedHosts = [], allowedOrigins = [], scheme } = options;
  const hosts = new Set([...allowedHosts, host].map((name) => name.toLowerCase()));
  const origins = new Set(allowedOrigins);
  const isLocal = isLoopback(host);
  const checkHost = isLocal || allowedHosts.length > 0;
  const known = (name: string) => (isLocal && isLoopback(name)) || hosts.has(name);
  return ({ method, headers }) => {
    const { host: given, origin, "sec-fetch-site": site, "sec-fetch-dest": to } = headers;
    if (checkHost && !hosts.has(given ?? "")) {
      const name = hostName(given ?? "");
      if (!known(name))
        return `The Host header ${JSON.stringify(given ?? "")} is not allowed. Add it to allowedHosts to accept it.`;
      if (hosts.size < 100) hosts.add(given ?? ""); // Skips the slow check next time.
    }
    // Images and frames send no Origin, but a GET alone can have side effects such as starting an episode.
    const opensPage = to === "document" && (method === "GET" || method === "HEAD");
    if (isLocal && origin === undefined && site === "cross-site" && !opensPage)
      return "Cross-site requests are not allowed, except to open the page itself.";
    if (origin === undefined || origins.has(origin)) return undefined;
    const from = webOrigin(origin);
    const isOwnScheme = scheme === undefined || scheme === from?.protocol || isLoopback(from?.hostname ?? "");
    return from && known(from.hostname) && isOwnScheme
      ? undefined
      : `The Origin ${JSON.stringify(origin)} is not allowed. Add it to allowedOrigins to accept it.`;
  };
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

function hostName(header: string): string {
  return header.toLowerCase().replace(/:\d+$/, "");
}

/** Other schemes, such as those of browser extensions, must be listed in allowedOrigins. */
function webOrigin(origin: string): URL | undefined {
  try {
    const url = new URL(origin);
    return url.protocol === "http:" || url.protocol === "https:" ? url : undefined;
  } catch {
    return undefined;
  }
}
