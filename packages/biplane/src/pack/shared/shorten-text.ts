import type { Call } from "@biplane/core";

/** Removes secrets from a text that is cut. */
export type Redacting = Pick<Call, "redact">;

/**
 * A text of at most `maxLength` characters, and a mark if it was cut. A secret is found only as a whole, so one that the
 * cut would divide is replaced.
 */
export function shortenText(text: string, maxLength: number, call: Redacting): string {
  if (text.length <= maxLength) return text;
  const isInPair = (text.codePointAt(maxLength - 1) ?? 0) > 0xffff;
  return `${call.redact(text, { start: 0, end: isInPair ? maxLength - 1 : maxLength })}…`;
}

/** More characters than a secret has in any spelling. What is cut before a call sees it keeps as many more. */
export const secretMargin = 64 * 1024;
