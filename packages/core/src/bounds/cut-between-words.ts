/**
 * The first words of a text that came from elsewhere, and a mark if it was cut. A secret is found only as a whole, so
 * the cut is never inside a word, where one could be.
 */
export function cutBetweenWords(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = maxLength;
  while (end > 0 && !isBetween.test(text.charAt(end))) end--;
  return `${text.slice(0, end).trimEnd()}…`;
}

/** Characters that do not occur in keys and tokens. */
const isBetween = /[\s"'`<>(){}[\],;]/;
