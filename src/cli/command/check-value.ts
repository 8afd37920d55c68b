import { unknownName } from "../../call/rules/near-miss.ts";
import { BiplaneError } from "../../errors.ts";
import { valueOf } from "./values.ts";

export interface GivenValue {
  readonly path: readonly string[];
  readonly name: string;
  /** The option as it was typed. */
  readonly written: string;
  readonly value: string;
}

/** Refuses a value that is none of those an option knows, and a number that is none. */
export function checkValue({ path, name, written, value }: GivenValue): void {
  const expected = valueOf(path, name);
  if (expected.kind === "choice" && !expected.isOpen && !expected.of.includes(value))
    throw invalid(`${written}: ${JSON.stringify(value)} ${unknownName(value, expected.of, "one of its values")}`);
  if (expected.kind !== "number") return;
  const number = value.trim() === "" ? Number.NaN : Number(value);
  const isFit = expected.isWhole ? Number.isSafeInteger(number) : Number.isFinite(number);
  if (isFit && number >= (expected.least ?? -Infinity)) return;
  const what = expected.isWhole ? "a whole number" : "a number";
  const from = expected.least === undefined ? "" : ` from ${expected.least} up`;
  throw invalid(`${written} must be ${what}${from}, not ${JSON.stringify(value)}`);
}

function invalid(message: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", message);
}
