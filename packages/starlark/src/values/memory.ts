import type { Value } from "./value.ts";

/** Approximate bytes per slot of a list or tuple, including spare capacity. */
export const elementBytes = 32;

/** Approximate bytes of an empty dict or set. */
export const tableBytes = 320;

/** Approximate bytes of a dict or set entry, without key and value. */
export const entryBytes = 64;

/**
 * Bytes that a value adds to its container. Small values are too short-lived to be counted when they are created, so
 * they are counted when they are stored.
 */
export function storedBytes(value: Value): number {
  switch (typeof value) {
    case "number":
    case "boolean":
      return 0;
    case "string":
      return 32 + Math.min(value.length, 64);
    case "bigint":
      return 64;
    default:
      return value === null ? 0 : 96;
  }
}
