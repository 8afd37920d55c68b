/** A piece of untrusted text: plain, an invisible character as a mark, or a redaction. */
export interface Piece {
  readonly kind: "text" | "mark" | "redacted";
  /** The visible text. */
  readonly text: string;
  /** Tooltip of marks and redactions. */
  readonly title?: string;
}

/**
 * Splits untrusted text into pieces that are safe to display: control characters, terminal escapes, direction marks and
 * zero-width characters become visible marks. `isBlock` keeps line ends and tabs.
 */
export function visiblePieces(text: string, isBlock = false): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  suspicious.lastIndex = 0;
  for (let match = suspicious.exec(text); match; match = suspicious.exec(text)) {
    const [found] = match;
    if (isBlock && (found === "\n" || found === "\t")) continue;
    if (isJoined(text, match.index, found)) continue;
    if (match.index > from) pieces.push({ kind: "text", text: text.slice(from, match.index) });
    from = match.index + found.length;
    // CRLF is one line end.
    if (isBlock && found === "\r" && text[from] === "\n") continue;
    pieces.push(found.startsWith("[") ? redaction(found) : mark(found));
  }
  if (from < text.length) pieces.push({ kind: "text", text: text.slice(from) });
  return pieces;
}

/** The start of a text. Never splits a surrogate pair. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxLength - 1 : maxLength);
}

/**
 * Redactions in the server's format; controls; soft hyphen, Arabic letter mark, Hangul fillers, zero widths,
 * directions, invisible operators, byte order mark, interlinear marks, tags and variation selectors; stacks of combining
 * marks, which would cover the lines around; and lone surrogates.
 */
const suspicious =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class
  /\[REDACTED(?::[\w.:/-]{1,200})?\]|[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{1bca0}-\u{1bca3}\u{e0000}-\u{e0fff}]|\p{M}{6,}|\p{Surrogate}/gu;

/** Joiners within emoji and between letters that need them are legitimate. */
function isJoined(text: string, at: number, found: string): boolean {
  if (found !== "\u200d" && found !== "\u200c") return false;
  const before = text.slice(Math.max(0, at - 3), at);
  const after = text.slice(at + 1, at + 3);
  return (
    /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\p{Script=Arabic}\p{Script=Devanagari}]$/u.test(before) &&
    /^[\p{L}\p{Extended_Pictographic}]/u.test(after)
  );
}

function redaction(found: string): Piece {
  const name = found.slice("[REDACTED:".length, -1);
  return name === ""
    ? { kind: "redacted", text: "redacted", title: "Redacted secret" }
    : { kind: "redacted", text: name, title: `Redacted secret ${name}` };
}

function mark(character: string): Piece {
  if (character.length > 2)
    return { kind: "mark", text: `+${character.length}`, title: "Combining marks on the previous letter" };
  const code = character.codePointAt(0) ?? 0;
  const title = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  const name = names[code];
  if (name !== undefined) return { kind: "mark", text: name, title: `${title} ${name}` };
  return { kind: "mark", text: title, title };
}

const controls =
  "NUL SOH STX ETX EOT ENQ ACK BEL BS ⇥ ↵ VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(
    " ",
  );

const names: Readonly<Record<number, string>> = {
  ...Object.fromEntries(controls.entries()),
  0x7f: "DEL",
  0x9b: "CSI",
  0xad: "SHY",
  0x061c: "ALM",
  0x200b: "ZWSP",
  0x200c: "ZWNJ",
  0x200d: "ZWJ",
  0x200e: "LRM",
  0x200f: "RLM",
  0x2028: "LSEP",
  0x2029: "PSEP",
  0x202a: "LRE",
  0x202b: "RLE",
  0x202c: "PDF",
  0x202d: "LRO",
  0x202e: "RLO",
  0x2060: "WJ",
  0x2066: "LRI",
  0x2067: "RLI",
  0x2068: "FSI",
  0x2069: "PDI",
  0xfeff: "BOM",
};
