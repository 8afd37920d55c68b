import type { EndpointRequest } from "@biplane/core/internal";

/**
 * Returns why a request is treated as cross-site, if it is. All ports of a machine are the same site, so the cookie
 * alone is not enough: `Origin` and fetch metadata must match, and changes must use a format that forms cannot send.
 */
export function crossSiteProblem({ method, headers, origin }: EndpointRequest): string | undefined {
  const { origin: from, "sec-fetch-site": site, "content-type": type, "x-biplane": sign } = headers;
  if (from !== undefined && from !== origin) return "The admin API only accepts requests from its own page.";
  if (site !== undefined && site !== "same-origin" && site !== "none")
    return "The admin API only accepts requests from its own page.";
  if (method === "GET" || method === "HEAD") return undefined;
  const isJson = typeof type === "string" && /^application\/json *(;|$)/i.test(type);
  return isJson || sign !== undefined ? undefined : "Send the body as application/json, or send the header X-Biplane.";
}
