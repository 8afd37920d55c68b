import { Failure } from "../runtime/failure.ts";
import { intFromNumber, type Int } from "../values/int.ts";

/** The int a float truncates to; there is none for an infinity or NaN. */
export function intFromFloat(value: number, prefix = ""): Int {
  if (Number.isNaN(value)) throw new Failure(`${prefix}cannot convert float NaN to integer`);
  if (!Number.isFinite(value)) throw new Failure(`${prefix}cannot convert float infinity to integer`);
  return intFromNumber(value);
}
