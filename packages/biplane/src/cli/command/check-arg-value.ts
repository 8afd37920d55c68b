import { nearest } from "@biplane/core/internal";
import { argValueOf } from "./arg-values.ts";
import { usageError } from "./exit-code.ts";

export interface GivenValue {
  readonly path: readonly string[];
  readonly name: string;
  /** The option as typed: `-n` or `--number`. */
  readonly flag: string;
  readonly value: string;
}

/** Rejects a value that is not one of the option's choices, and a number that is not one. */
export function checkArgValue({ path, name, flag, value }: GivenValue): void {
  const expected = argValueOf(path, name);
  if (expected.kind === "choice" && !expected.isOpen && !expected.of.includes(value)) {
    const near = nearest(value, expected.of);
    const hint = near === undefined ? "" : ` Did you mean ${near}?`;
    throw usageError(`${flag} must be one of ${expected.of.join(", ")}, not ${JSON.stringify(value)}.${hint}`);
  }
  if (expected.kind !== "number") return;
  const number = value.trim() === "" ? Number.NaN : Number(value);
  const isValid = expected.isWhole ? Number.isSafeInteger(number) : Number.isFinite(number);
  if (isValid && number >= (expected.min ?? -Infinity)) return;
  const type = expected.isWhole ? "a whole number" : "a number";
  const range = expected.min === undefined ? "" : ` of at least ${expected.min}`;
  throw usageError(`${flag} must be ${type}${range}, not ${JSON.stringify(value)}.`);
}
