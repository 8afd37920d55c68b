import { Bytes } from "./bytes.ts";
import { Dict } from "./dict.ts";
import { Float } from "./float.ts";
import { List } from "./list.ts";
import { Range } from "./range.ts";
import { StarlarkSet } from "./set.ts";
import { Tuple } from "./tuple.ts";
import type { Value } from "./value.ts";

/** The truth value: zero, None, False and empty values are false. */
export function isTrue(value: Value): boolean {
  if (typeof value === "boolean") return value;
  if (value === null) return false;
  if (typeof value !== "object") return typeof value === "string" ? value !== "" : Number(value) !== 0;
  if (value instanceof List || value instanceof Tuple) return value.elements.length > 0;
  if (value instanceof Dict || value instanceof StarlarkSet) return value.table.size > 0;
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof Bytes) return value.data !== "";
  if (value instanceof Range) return value.length > 0;
  return true;
}
