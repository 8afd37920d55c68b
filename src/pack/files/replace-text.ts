import { BiplaneError } from "../../errors.ts";

export interface Replacement {
  readonly from: string;
  readonly to: string;
  /** Otherwise `from` must be there exactly once. */
  readonly isEverywhere?: boolean;
  /** The file, for messages. */
  readonly shown: string;
}

/** A text with one part of it replaced, taken letter for letter. */
export function replaceText(text: string, replacement: Replacement): { text: string; count: number } {
  const { from, to, isEverywhere = false, shown } = replacement;
  if (from === "") throw new BiplaneError("INVALID_INPUT", "The text to replace is empty");
  const parts = text.split(from);
  const count = parts.length - 1;
  if (count === 0) {
    throw new BiplaneError("EXECUTION_ERROR", `The text to replace is not in ${shown}: read it again, spaces count`);
  }
  if (count > 1 && !isEverywhere) {
    throw new BiplaneError(
      "EXECUTION_ERROR",
      `The text to replace is in ${shown} ${count} times: give more of what is around it`,
    );
  }
  return { text: parts.join(to), count };
}
