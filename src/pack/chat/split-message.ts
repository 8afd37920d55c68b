/**
 * Splits a message into parts of at most `limit` UTF-16 units, where it is least harmful: between paragraphs, lines,
 * words, and only then anywhere, but never inside a character. With `fences`, a code block that goes on in the next
 * part is closed and opened again.
 */
export function splitMessage(message: string, options: { limit: number; fences: boolean }): readonly string[] {
  const { limit, fences } = options;
  const parts: string[] = [];
  let rest = message;
  let opening = "";
  while (opening.length + rest.length > limit) {
    const room = limit - opening.length - (fences ? closing.length : 0);
    const { end, next } = cutOf(rest, room);
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

/** Where a part ends and where the next one begins: the white space between them goes. */
function cutOf(text: string, room: number): { end: number; next: number } {
  for (const gap of ["\n\n", "\n", " "]) {
    const end = text.lastIndexOf(gap, room);
    if (end >= room / 2) return { end, next: end + gap.length };
  }
  const end = wholeCharacters(text, room);
  return { end, next: end };
}

/** The last place up to `room` that is between two characters as people see them. */
function wholeCharacters(text: string, room: number): number {
  const from = Math.max(0, room - 64);
  const start = isLowSurrogate(text, from) ? from - 1 : from;
  let end = start;
  for (const { index, segment } of segmenter.segment(text.slice(start, room + 64))) {
    if (start + index + segment.length > room) break;
    end = start + index + segment.length;
  }
  // A character that is longer than all of that is cut between its code points.
  return end > start ? end : isLowSurrogate(text, room) ? room - 1 : room;
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

/** The line that opened the code block which is open at the end of a text; empty where none is. */
function openFence(text: string): string {
  let open = "";
  for (const [, info = ""] of text.matchAll(/^ {0,3}```([^\n`]*)$/gm)) {
    if (open !== "") open = "";
    else open = `\`\`\`${/^[\w+#.-]{0,30}$/.test(info.trim()) ? info.trim() : ""}\n`;
  }
  return open;
}
