import type { Value } from "./value.ts";

/** About what a slot of a list or tuple takes, together with its share of the room to grow. */
export const elementBytes = 32;

/** About what an empty dict or set takes. */
export const tableBytes = 320;

/** About what an entry of a dict or set takes beside its key and value. */
export const entryBytes = 64;

/**
 * What a value adds to the container it is stored in. Small values are made and dropped too often to be counted when
 * they are made, so they are counted here, where they stay.
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
