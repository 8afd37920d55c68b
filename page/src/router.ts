import { signal } from "@preact/signals";

/** Where one is: `#/tools/desk/get_customer?way=mcp` is view `tools`, path `["desk", "get_customer"]`. */
export interface Place {
  readonly view: string;
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

export type Query = Readonly<Record<string, string | number | undefined | null>>;

/** The current place. Reading `.value` in a component follows it. */
export const place = signal<Place>(placeOf(location.hash));

/** An address within the page: `href("tools", [server, name], { way: "mcp" })`. Empty values of the query are left out. */
export function href(view: string, path: readonly string[] = [], query: Query = {}): string {
  const segments = [view, ...path].map(encodeURIComponent).join("/");
  const search = searchOf(query);
  return `#/${segments}${search === "" ? "" : `?${search}`}`;
}

/** Goes there, as a link would, but at once: the browser tells of a new address a moment later. */
export function go(address: string): void {
  location.hash = address;
  follow();
}

/** Changes parts of the query where one is, without a new entry in the history: for filters. */
export function setQuery(patch: Query): void {
  const { view, path, query } = place.value;
  const address = href(view, path, { ...query, ...patch });
  history.replaceState(null, "", address);
  follow();
}

/** `a=1&b=2`, in the order of the keys given, without empty values. */
export function searchOf(query: Query): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== "") search.set(key, String(value));
  return search.toString();
}

function placeOf(hash: string): Place {
  const [address = "", search = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [view = "", ...path] = address.split("/").map(decoded);
  return {
    view,
    path: path.filter((segment) => segment !== ""),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

let followed = location.hash;

function follow(): void {
  if (location.hash === followed) return;
  followed = location.hash;
  place.value = placeOf(followed);
}

addEventListener("hashchange", follow);
