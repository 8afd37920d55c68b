/**
 * Splits a message into parts of at most `limit` UTF-16 units: between paragraphs, else lines, else words, else
 * characters. With `fences`, a code block that continues in the next part is closed and reopened.
 */
export function splitMessage(message: string, options: { limit: number; fences: boolean }): readonly string[] {
  const { limit, fences } = options;
  const parts: string[] = [];
  let rest = message;
  let opening = "";
  while (opening.length + rest.length > limit) {
    const available = limit - opening.length - (fences ? closing.length : 0);
    const { end, next } = cutOf(rest, available);
    const piece = rest.slice(0, end);
    const stillOpen = fences ? openFence(opening + piece) : "";
    parts.push(opening + piece + (stillOpen === "" ? "" : closing));
    rest = rest.slice(next);
    opening = stillOpen;
  }
  if (rest.trim() !== "") parts.push(opening + rest);
  return parts.filter((part) => part.trim() !== "");
}

const closing = "\n```";

/** The end of a part and the start of the next. White space between them is dropped. */
function cutOf(text: string, available: number): { end: number; next: number } {
  for (const gap of ["\n\n", "\n", " "]) {
    const end = text.lastIndexOf(gap, available);
    if (end >= available / 2) return { end, next: end + gap.length };
  }
  const end = wholeCharacters(text, available);
  return { end, next: end };
}

/** The last grapheme boundary up to `available`. */
function wholeCharacters(text: string, available: number): number {
  const from = Math.max(0, available - 64);
  const start = isLowSurrogate(text, from) ? from - 1 : from;
  let end = start;
  for (const { index, segment } of segmenter.segment(text.slice(start, available + 64))) {
    if (start + index + segment.length > available) break;
    end = start + index + segment.length;
  }
  // A longer grapheme is split between its code points.
  return end > start ? end : isLowSurrogate(text, available) ? available - 1 : available;
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

/** The opening line of a code block that is still open at the end of the text, or an empty string. */
function openFence(text: string): string {
  let open = "";
  for (const [, info = ""] of text.matchAll(/^ {0,3}```([^\n`]*)$/gm)) {
    if (open !== "") open = "";
    else open = `\`\`\`${/^[\w+#.-]{0,30}$/.test(info.trim()) ? info.trim() : ""}\n`;
  }
  return open;
}
