import { nearest } from "@biplane/core/internal";

/** Suggests the known name that was probably meant. */
export function didYouMean(given: string, known: readonly string[], otherwise = ""): string {
  const near = nearest(given, known);
  return near === undefined ? otherwise : `Did you mean ${near}?`;
}
