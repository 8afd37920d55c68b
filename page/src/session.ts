import { signal } from "@preact/signals";

export interface Person {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: string;
}

/** Who looks at the page: nobody knows yet, nobody at all, or a person. */
export const person = signal<Person | "unknown" | "nobody">("unknown");

let isByKey = false;

/** Whether the page was opened with a key of the terminal: then whoever looks is who started the server. */
export function cameByKey(): boolean {
  return isByKey;
}

export function enteredByKey(who: Person): void {
  isByKey = true;
  person.value = who;
}

/** What to call when the API says that the session is over. The page falls back to the login, and stays where it is. */
export function lostSession(): void {
  person.value = "nobody";
}
