import type { Path, Problem } from "../../call/rules/problem.ts";
import type { Range } from "./show-problem.ts";

/** A parsed text with the ranges of its values. */
export interface ParsedText {
  readonly value: unknown;
  /** The range of a value. For a missing value, the range of its nearest existing parent. */
  readonly rangeOf: (path: Path, at: Problem["at"]) => Range;
  /** Ranges of all string values, which may contain secrets. */
  readonly texts: readonly Range[];
}

export const maxTextLength = 1024 * 1024;
