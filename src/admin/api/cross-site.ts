import type { DoorRequest } from "../../server/doors.ts";

/**
 * Why a request looks like another site's doing, if it does. The cookie is not sent from other sites, but on one
 * machine every port is the same site: so a page must be our own, by Origin and by what the browser says of it, and a
 * change must come in a way that no form and no plain link can send.
 */
export function crossSite({ method, headers, origin }: DoorRequest): string | undefined {
  const { origin: from, "sec-fetch-site": site, "content-type": type, "x-biplane": sign } = headers;
  if (from !== undefined && from !== origin) return "This door answers only to its own page";
  if (site !== undefined && site !== "same-origin" && site !== "none") return "This door answers only to its own page";
  if (method === "GET" || method === "HEAD") return undefined;
  const isJson = typeof type === "string" && /^application\/json *(;|$)/i.test(type);
  return isJson || sign !== undefined ? undefined : "Send application/json, or the header X-Biplane";
}
