import { signal } from "@preact/signals";

export interface Person {
  readonly name: string;
  readonly role: string | null;
  readonly scopes: readonly string[];
  /** True if an OpenID provider signs this person in. */
  readonly isProvided: boolean;
  readonly expiresAt?: string;
}

/** The signed-in person. `unknown` until the session is checked. */
export const person = signal<Person | "unknown" | "signed-out">("unknown");

let isByKey = false;

/** True if the page was opened with the link from the terminal, that is, by the operator. */
export function isSignedInByKey(): boolean {
  return isByKey;
}

export function signInByKey(who: Person): void {
  isByKey = true;
  person.value = who;
}

/** Call it when the session has ended. The page shows the sign-in page and keeps its location. */
export function clearSession(): void {
  person.value = "signed-out";
}
