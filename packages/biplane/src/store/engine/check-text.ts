import { BiplaneError } from "@biplane/core";

/**
 * Throws if a parameter contains a NUL. SQLite's driver cuts text there, so that `ada\0x` would find `ada`, and Postgres
 * refuses it with an error of its own.
 */
export function checkText(parameters: readonly unknown[]): void {
  if (parameters.flat().some((each) => typeof each === "string" && each.includes("\0")))
    throw new BiplaneError("INVALID_INPUT", "Text in the store cannot contain NUL characters. Remove them.");
}
