import { BiplaneError } from "@biplane/core";
import { isRecord, messageOf } from "@biplane/core/internal";

/** Where something is wrong in a file of rows. */
export interface RowPlace {
  /** Numbered from 1, in text. */
  readonly line?: number;
  /** Numbered from 0, in a table. */
  readonly row?: number;
  readonly column?: string;
}

/** An error whose place is added to its message by `inFile`. */
export function rowError(message: string, place: RowPlace, cause?: unknown): BiplaneError {
  return new BiplaneError("INVALID_INPUT", message, { cause, details: { place } });
}

/** The same error with the file and every known part of the place: `rows.csv, line 3, column seed: …`. */
export function inFile(error: unknown, file: string, known: RowPlace): BiplaneError {
  const own = error instanceof BiplaneError && isRecord(error.details?.["place"]) ? error.details["place"] : {};
  const place = { ...known, ...own };
  const parts = (["line", "row", "column"] as const).filter((key) => place[key] !== undefined);
  const where = [file, ...parts.map((key) => `${key} ${String(place[key])}`)].join(", ");
  return new BiplaneError("INVALID_INPUT", `${where}: ${messageOf(error)}`, { cause: error });
}
