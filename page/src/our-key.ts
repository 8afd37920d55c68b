/*
 * A login is a cookie and a key. Browsers send cookies to every port of a machine; what a page stores is its own, so the
 * key is what tells it from whatever else listens here.
 */

const place = "biplane-key";
let remembered: string | undefined;

/** The header that proves our page, where it has logged in. */
export function ourKey(): Record<string, string> {
  const key = remembered ?? stored();
  return key === undefined ? {} : { "x-biplane": key };
}

/** Without it there is no login, whatever cookies there are. */
export function hasKey(): boolean {
  return (remembered ?? stored()) !== undefined;
}

/** Keeps the key of an answer that brings one. */
export function keepKey(said: unknown): void {
  const { key } = (said ?? {}) as { key?: unknown };
  if (typeof key !== "string") return;
  remembered = key;
  try {
    localStorage.setItem(place, key);
  } catch {
    // Where nothing may be stored, the login lasts as long as the page is open.
  }
}

function stored(): string | undefined {
  try {
    return localStorage.getItem(place) ?? undefined;
  } catch {
    return undefined;
  }
}
