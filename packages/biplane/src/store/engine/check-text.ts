import { BiplaneError } from "@biplane/core";

/**
 * Throws if a parameter contains a NUL. SQLite's driver cuts text there, so that `ada\0x` would find `ada`, and Postgres
 * refuses it with an error of its own.
 */
export function checkText(parameters: readonly unknown[]): void {
  if (parameters.some(hasNul))
    throw new BiplaneError("INVALID_INPUT", "Text in the store cannot contain NUL characters. Remove them.");
}

function hasNul(value: unknown): boolean {
  return typeof value === "string" ? value.includes("\0") : Array.isArray(value) && value.some(hasNul);
}
