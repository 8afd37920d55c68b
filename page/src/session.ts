import { signal } from "@preact/signals";

export interface Person {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: string;
}

/** Who looks at the page: nobody knows yet, nobody at all, or a person. */
export const person = signal<Person | "unknown" | "nobody">("unknown");

/** What to call when the API says that the session is over. The page falls back to the login, and stays where it is. */
export function lostSession(): void {
  person.value = "nobody";
}
