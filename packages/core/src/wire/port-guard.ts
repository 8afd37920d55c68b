import type { ServeOptions } from "../server/listening.ts";
import { createRequestGuard, isLoopback } from "../transport/guard.ts";
import type { RequestGuard } from "../transport/guard.ts";
import { isDiscoveryPath } from "./discovery.ts";
import { withoutQuery } from "./without-query.ts";

/**
 * Host names of the sandbox skip the guard, because the sandbox checks them itself. So do public documents, which pages
 * of every origin may read.
 */
export function guardFor(host: string, options: ServeOptions): RequestGuard {
  const guard = ownGuard(host, options);
  const { sandbox, discoverable } = options;
  if (!sandbox && !discoverable) return guard;
  return (request) => {
    const { method, headers, url = "" } = request;
    if (sandbox?.owns(headers.host ?? "")) return undefined;
    const isPublic = discoverable && method !== "POST" && isDiscoveryPath(withoutQuery(url));
    return isPublic ? undefined : guard(request);
  };
}

/** Accepts `publicUrl` as Host and Origin too: a proxy forwards it, and the admin page sends it. */
function ownGuard(host: string, options: ServeOptions): RequestGuard {
  const { allowedHosts = [], allowedOrigins = [], publicUrl } = options;
  if (publicUrl === undefined) return createRequestGuard({ host, allowedHosts, allowedOrigins });
  const { hostname, origin, protocol } = new URL(publicUrl);
  return createRequestGuard({
    host,
    scheme: protocol,
    // An empty list accepts every host, so do not turn it into a list of one.
    allowedHosts: isLoopback(host) || allowedHosts.length > 0 ? [...allowedHosts, hostname] : [],
    allowedOrigins: [...allowedOrigins, origin],
  });
}
