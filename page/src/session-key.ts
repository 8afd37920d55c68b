/*
 * A session is a cookie and a key. Browsers send cookies to every port of a host, but local storage belongs to one origin.
 * The key therefore proves that a request comes from this page.
 */

const storageKey = "biplane-key";
let current: string | undefined;

/** The request header with the key; empty if signed out. */
export function sessionKeyHeader(): Record<string, string> {
  const key = current ?? stored();
  return key === undefined ? {} : { "x-biplane": key };
}

/** False means signed out, whatever the cookies say. */
export function hasSessionKey(): boolean {
  return (current ?? stored()) !== undefined;
}

/** Stores the key of a response that contains one. */
export function storeSessionKey(body: unknown): void {
  const { key } = (body ?? {}) as { key?: unknown };
  if (typeof key !== "string") return;
  current = key;
  try {
    localStorage.setItem(storageKey, key);
  } catch {
    // Without storage, the session lasts until the page closes.
  }
}

function stored(): string | undefined {
  try {
    return localStorage.getItem(storageKey) ?? undefined;
  } catch {
    return undefined;
  }
}
