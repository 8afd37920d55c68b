/** The number of terminal columns that a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const sign of text) width += columns(sign);
  return width;
}

/** Truncates text to `width` columns with an ellipsis. With `fill`, pads it with spaces. */
export function fit(text: string, width: number, fill = false): string {
  if (widthOf(text) <= width) return fill ? text + " ".repeat(width - widthOf(text)) : text;
  let fitting = "";
  let used = 0;
  for (const sign of text) {
    if (used + columns(sign) > width - 1) break;
    fitting += sign;
    used += columns(sign);
  }
  return width < 1 ? "" : `${fitting}…${fill ? " ".repeat(width - used - 1) : ""}`;
}

/** Breaks text into lines of at most `width` columns, between words if possible. */
export function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, Math.max(1, width)));
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let rest = Array.from(line);
  while (widthOf(rest.join("")) > width) {
    let end = 0;
    for (let used = 0; end < rest.length; end++) {
      used += columns(rest[end] ?? "");
      if (used > width) break;
    }
    const space = rest.lastIndexOf(" ", end);
    const cut = space > width / 2 ? space : Math.max(1, end);
    lines.push(rest.slice(0, cut).join(""));
    rest = rest.slice(space > width / 2 ? cut + 1 : cut);
  }
  return [...lines, rest.join("")];
}

function columns(sign: string): number {
  if (/^\p{M}$/u.test(sign)) return 0;
  return wide.test(sign) ? 2 : 1;
}

const wide =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uFF01-\uFF60\u3000-\u303E]/u;
