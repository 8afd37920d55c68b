/**
 * The beginning of a page whose document fits into the memory of its worker. More would end the whole process: the
 * limit of a worker's memory does not hold for a single large table of objects.
 */
export function boundedMarkup(html: string): string {
  const text = html.slice(0, maxMarkupLength);
  let left = maxMarks;
  let isTag = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === lessThan) {
      if (text.startsWith("<!--", at)) at = endOfComment(text, at) - 1;
      isTag = isTagStart(text.charCodeAt(at + 1));
    } else if (code === greaterThan) isTag = false;
    else if (code !== ampersand && !(isTag && (code <= space || code === slash || code === quote))) continue;
    if (left-- === 0) return text.slice(0, at);
  }
  return text;
}

/** In characters. */
export const maxMarkupLength = 2_000_000;
/** Tags, attributes and entities: each becomes an object or two. */
export const maxMarks = 100_000;

const [lessThan, greaterThan, ampersand, space, slash, quote] = [0x3c, 0x3e, 0x26, 0x20, 0x2f, 0x22];

function isTagStart(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || code === slash || code === 0x21 || code === 0x3f;
}

function endOfComment(text: string, start: number): number {
  const end = text.indexOf("-->", start + 4);
  return end < 0 ? text.length : end;
}
