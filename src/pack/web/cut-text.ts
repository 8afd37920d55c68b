/** At most so many characters of a text, and whether that was not all of it. No character is cut in two. */
export function cutText(text: string, maxLength: number): { text: string; isCut: boolean } {
  if (text.length <= maxLength) return { text, isCut: false };
  let end = 0;
  for (let count = 0; count < maxLength && end < text.length; count++)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return { text: text.slice(0, end), isCut: end < text.length };
}
