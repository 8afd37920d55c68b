import { replaceAddress } from "../router.ts";

/*
 * What this browser keeps while it is at the OpenID provider. Only the tab that left can complete the sign-in, so a link
 * with a code of another person signs nobody in.
 */
interface Attempt {
  readonly state: string;
  readonly verifier: string;
  readonly nonce: string;
}

const key = "biplane-sign-in";

export function keepAttempt(attempt: Attempt, hash: string): void {
  sessionStorage.setItem(key, JSON.stringify({ ...attempt, hash }));
}

/** The query that the provider sent the browser back with, and what was kept. It is taken once. */
export function takeReturn(): { readonly body: Attempt & { readonly search: string } } | "unknown" | undefined {
  const { search } = location;
  if (!/[?&]state=/.test(search)) return undefined;
  const kept = read();
  sessionStorage.removeItem(key);
  replaceAddress(`/${kept?.hash ?? ""}`);
  if (!kept) return "unknown";
  const { hash: _, ...attempt } = kept;
  return { body: { ...attempt, search } };
}

function read(): (Attempt & { readonly hash: string }) | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(key) ?? "null") as (Attempt & { hash: string }) | null) ?? undefined;
  } catch {
    return undefined;
  }
}
