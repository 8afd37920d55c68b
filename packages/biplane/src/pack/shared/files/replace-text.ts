import { BiplaneError } from "@biplane/core";
import { LongNeedle } from "@biplane/core/internal";
import type { Turns } from "@biplane/core/internal";

export interface Replacement {
  readonly from: string;
  readonly to: string;
  /** Replaces every occurrence. Otherwise `from` must occur exactly once. */
  readonly isEverywhere?: boolean;
  /** Maximum size of the result. */
  readonly maxBytes: number;
  /** The file's virtual path, for messages. */
  readonly shown: string;
  /** Shared by the replacements of one call. */
  readonly turns: Turns;
}

/** Replaces a literal text. The size is checked before the result is made, which may be a thousand times larger. */
export async function replaceText(text: string, replacement: Replacement): Promise<{ text: string; count: number }> {
  const { from, to, isEverywhere = false, shown } = replacement;
  if (from === "") throw new BiplaneError("INVALID_INPUT", "The text to replace is empty.");
  const found = await findAll(text, replacement, isEverywhere ? maxReplacements + 1 : 2);
  if (found.length === 0) {
    throw new BiplaneError(
      "EXECUTION_ERROR",
      `The text to replace is not in ${shown}. Read the file again and copy the text exactly, including spaces.`,
    );
  }
  if (found.length > 1 && !isEverywhere) {
    throw new BiplaneError(
      "EXECUTION_ERROR",
      `The text to replace is in ${shown} more than once. Include more of the surrounding text.`,
    );
  }
  if (found.length > maxReplacements) {
    throw new BiplaneError("EXECUTION_ERROR", `The text to replace is in ${shown} more than ${maxReplacements} times.`);
  }
  const growth = found.length * (Buffer.byteLength(to) - Buffer.byteLength(from));
  checkSize(Buffer.byteLength(text) + growth, replacement.maxBytes);
  const kept = [0, ...found.map((at) => at + from.length)].map((at, index) => text.slice(at, found[index]));
  return { text: kept.join(to), count: found.length };
}

export function checkSize(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  throw new BiplaneError("INVALID_INPUT", `The content has ${bytes} bytes, more than the limit of ${maxBytes}.`);
}

export const maxReplacements = 100_000;

/** The positions of a text that do not overlap, up to `max`. */
async function findAll(text: string, { from: needle, turns }: Replacement, max: number): Promise<number[]> {
  const found: number[] = [];
  if (needle.length > text.length) return found;
  const search = needle.length > longNeedle ? new LongNeedle(needle) : undefined;
  for (let isMore = search !== undefined; isMore; isMore = search?.prepare(partLength) ?? false) await turns.next();
  for (let from = 0; from < text.length && found.length < max;) {
    const to = Math.min(text.length, from + partLength);
    const at = search ? search.find(text, from, to) : findInPart(text, needle, { from, to });
    await turns.next();
    if (at >= 0) found.push(at);
    from = at < 0 ? to : at + needle.length;
  }
  return found;
}

/** Where the needle begins between `from` and `to`, or -1. */
function findInPart(text: string, needle: string, { from, to }: { from: number; to: number }): number {
  const at = text.slice(from, to + needle.length - 1).indexOf(needle);
  return at < 0 ? -1 : from + at;
}

/** The native search takes quadratic time for longer ones. */
const longNeedle = 250;
const partLength = 1024 * 1024;
