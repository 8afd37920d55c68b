import { person } from "../../session.ts";

/** True if the person who is signed in has a scope. The server checks it again. */
export function isAllowed(scope: string): boolean {
  const { value } = person;
  return typeof value !== "string" && (value.scopes.includes("*") || value.scopes.includes(scope));
}
