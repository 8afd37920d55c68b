/** A table of a TOML text: `[a.b]` and what follows it up to the next table. */
export interface TomlTable {
  /** Empty for what stands before the first table. */
  readonly path: readonly string[];
  readonly start: number;
  /** After its last line that is not blank or a comment. Comments above the next table belong to that one. */
  readonly end: number;
}

/** Finds the tables of a TOML text that is valid. */
export function tomlTables(text: string): TomlTable[] {
  const tables: TomlTable[] = [{ path: [], start: 0, end: 0 }];
  let at = 0;
  while ((at = skipBlank(text, at)) < text.length) {
    const start = at;
    at = text[at] === "[" ? endOfHeader(text, at) : endOfValue(text, at);
    const end = lineEndAfter(text, at);
    if (text[start] === "[") tables.push({ path: headerPath(text.slice(start, at)), start, end });
    else tables.push({ ...(tables.pop() as TomlTable), end });
    at = end;
  }
  return tables;
}

/** Skips spaces, blank lines and comments. */
function skipBlank(text: string, from: number): number {
  const blank = /(?:[ \t\r\n]+|#[^\n]*)*/y;
  blank.lastIndex = from;
  blank.test(text);
  return blank.lastIndex;
}

function endOfHeader(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== "]") at = isQuote(text[at]) ? endOfString(text, at) : at + 1;
  return text[at + 1] === "]" && text[from + 1] === "[" ? at + 2 : at + 1;
}

/** Skips `key = value`. A value goes on over line breaks inside of brackets. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const sign = text[at] ?? "";
    if (isQuote(sign)) at = endOfString(text, at);
    else if (sign === "#") at = indexOrEnd(text, "\n", at);
    else if (sign === "\n" && depth === 0) return at;
    else {
      if (sign === "[" || sign === "{") depth++;
      if (sign === "]" || sign === "}") depth--;
      at++;
    }
  }
  return at;
}

function isQuote(sign: string | undefined): boolean {
  return sign === '"' || sign === "'";
}

/** Skips a string of any of the four kinds. Only double quotes have escapes. */
function endOfString(text: string, from: number): number {
  const quote = text[from] ?? "";
  const isLong = text.startsWith(quote.repeat(3), from);
  const closing = isLong ? quote.repeat(3) : quote;
  let at = from + closing.length;
  while (at < text.length && !text.startsWith(closing, at)) at += quote === '"' && text[at] === "\\" ? 2 : 1;
  at += closing.length;
  // A long string may end with quotes of its own.
  if (isLong) while (text[at] === quote) at++;
  return at;
}

/** Includes the line break. */
function lineEndAfter(text: string, from: number): number {
  return Math.min(text.length, indexOrEnd(text, "\n", from) + 1);
}

function indexOrEnd(text: string, sign: string, from: number): number {
  const found = text.indexOf(sign, from);
  return found === -1 ? text.length : found;
}

function headerPath(header: string): string[] {
  const keys = header.replaceAll(/^\[\[?|\]?\]$/g, "").matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([\w-]+)/g);
  return Array.from(keys, ([whole, basic, literal, bare]) =>
    basic === undefined ? (literal ?? bare ?? "") : unescaped(whole),
  );
}

/** Keys with escapes that JSON does not have are kept as they are written. */
function unescaped(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}
