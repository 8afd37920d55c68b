import { hash, timingSafeEqual } from "node:crypto";

/** Compares two texts in a time that does not depend on where they differ. */
export function isEqualText(given: unknown, expected: string): boolean {
  if (typeof given !== "string") return false;
  return timingSafeEqual(Buffer.from(hash("sha256", given)), Buffer.from(hash("sha256", expected)));
}
