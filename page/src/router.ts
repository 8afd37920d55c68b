import { decodeUri } from "../../packages/core/src/decode-uri.ts";
import { signal } from "@preact/signals";

/** The parsed hash: `#/tools/shop/get_customer?via=code` is view `tools`, path `["shop", "get_customer"]`. */
export interface PageLocation {
  readonly view: string;
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

export type Query = Readonly<Record<string, string | number | undefined | null>>;

/** The current location. Components that read `.value` re-render when it changes. */
export const pageLocation = signal<PageLocation>(parseHash(location.hash));

/** A link within the page: `href("tools", [server, name], { via: "code" })`. Empty query values are omitted. */
export function href(view: string, path: readonly string[] = [], query: Query = {}): string {
  const segments = [view, ...path].map(encodeURIComponent).join("/");
  const search = searchOf(query);
  return `#/${segments}${search === "" ? "" : `?${search}`}`;
}

/** Navigates like a link, but synchronously: `hashchange` fires later. */
export function go(address: string): void {
  location.hash = address;
  follow();
}

/** Updates the query without a new history entry, for filters. */
export function setQuery(patch: Query): void {
  const { view, path, query } = pageLocation.value;
  const address = href(view, path, { ...query, ...patch });
  history.replaceState(null, "", address);
  follow();
}

/** Replaces the whole address, also its query, without a new history entry. */
export function replaceAddress(address: string): void {
  history.replaceState(null, "", address);
  follow();
}

/** `a=1&b=2` in the given order, without empty values. */
export function searchOf(query: Query): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== "") search.set(key, String(value));
  return search.toString();
}

function parseHash(hash: string): PageLocation {
  const [address = "", search = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [view = "", ...path] = address.split("/").map((text) => decodeUri(text) ?? text);
  return {
    view,
    path: path.filter((segment) => segment !== ""),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

let followed = location.hash;

function follow(): void {
  if (location.hash === followed) return;
  followed = location.hash;
  pageLocation.value = parseHash(followed);
}

addEventListener("hashchange", follow);
