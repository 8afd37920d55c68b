import type { Passage } from "./passage.ts";

/** Counts the call against its rate limits. */
export function limit(passage: Passage): void {
  passage.body.limits?.count(passage.call, passage.body.mode);
}

/**
 * Takes a place among the calls that run, until this one is over. Nothing is held while a call waits for approval, nor by
 * code whose own calls take the places.
 */
export function occupy(passage: Passage): void {
  if (passage.tool?.composite) return;
  passage.release = passage.body.limits?.enter(passage.call, passage.body.mode);
}
