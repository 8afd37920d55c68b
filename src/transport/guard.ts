import type { IncomingHttpHeaders } from "node:http";

/** Says whether a request may come in at all, by its Host and Origin. */
export type Guard = (headers: IncomingHttpHeaders) => string | undefined;

/**
 * Protects a local server from web pages: a page that rebinds its own name to 127.0.0.1 still sends that name as
 * Host, and every page sends its Origin. Returns the reason to refuse, or undefined.
 */
export function createGuard(options: {
  host: string;
  allowedHosts?: readonly string[] | undefined;
  allowedOrigins?: readonly string[] | undefined;
}): Guard {
  const { host, allowedHosts = [], allowedOrigins = [] } = options;
  const hosts = new Set([...allowedHosts, host].map((name) => name.toLowerCase()));
  const origins = new Set(allowedOrigins);
  const checkHost = isLoopback(host) || allowedHosts.length > 0;
  const known = (name: string) => (isLoopback(host) && isLoopback(name)) || hosts.has(name);
  return ({ host: given, origin, "sec-fetch-site": site, "sec-fetch-dest": to }) => {
    if (checkHost && !hosts.has(given ?? "")) {
      const name = hostName(given ?? "");
      if (!known(name)) return `The Host header ${JSON.stringify(given ?? "")} is not one this server answers to`;
      if (hosts.size < 100) hosts.add(given ?? ""); // next time it is known at once
    }
    // A picture or a frame of another site sends no Origin, and some things begin when they are asked for.
    if (isLoopback(host) && origin === undefined && site === "cross-site" && to !== "document")
      return "Another site may open this page, and fetch nothing from it";
    if (origin === undefined || origins.has(origin)) return undefined;
    const name = originHost(origin);
    return name !== undefined && known(name) ? undefined : `The Origin ${JSON.stringify(origin)} is not allowed`;
  };
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

function hostName(header: string): string {
  return header.toLowerCase().replace(/:\d+$/, "");
}

function originHost(origin: string): string | undefined {
  try {
    return new URL(origin).hostname;
  } catch {
    return undefined;
  }
}
