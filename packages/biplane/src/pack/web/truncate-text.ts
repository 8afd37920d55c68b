/** Truncates a text to `maxLength` code points, never inside a surrogate pair. */
export function truncateText(text: string, maxLength: number): { text: string; isCut: boolean } {
  if (text.length <= maxLength) return { text, isCut: false };
  let end = 0;
  for (let count = 0; count < maxLength && end < text.length; count++)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return { text: text.slice(0, end), isCut: end < text.length };
}
