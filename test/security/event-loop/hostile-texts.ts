/** Parts that, repeated, are the worst for one or the other parser, search or converter. */
const parts = {
  letters: "a",
  words: "ab ",
  lines: "\n",
  "lines of words": "a b\r\n",
  digits: "9",
  spaces: " ",
  quotes: "\"'",
  backslashes: "\\",
  "control characters": "\u0001",
  accents: "é",
  "pairs of surrogates": "🔑",
  "combining marks": "e\u0301",
  "half pairs": "\ud83d",
  lists: "[",
  "wiki links": "[[a",
  "closed links": "[a](b) ",
  parentheses: "(",
  braces: "{",
  "braces with choices": "{a,b}",
  stars: "*",
  "stars and letters": "*a",
  "deep stars": "**/",
  "question marks": "?",
  "sets of characters": "[a-z]",
  slashes: "/",
  "folders above": "../",
  folders: "a/",
  tags: "<a>",
  comments: "<!--",
  entities: "&amp;",
  percents: "%41",
  dashes: "---\n",
  "nested items": "- ",
  colons: "a: ",
  anchors: "&a *a ",
  hashes: "#a ",
  backticks: "`",
  fences: "```\n",
  dots: "a.",
  commas: ",",
  "begin lines": "BEGIN:VEVENT\n",
  equals: "a=b;",
  mentions: "<@1>@everyone ",
} as const;

export type TextKind = keyof typeof parts;
export const textKinds = Object.keys(parts) as TextKind[];

/** A text that takes about `bytes` in JSON. Its last character differs, so that a match fails at the very end. */
export function hostileText(kind: TextKind, bytes: number): string {
  const part = parts[kind];
  const each = Buffer.byteLength(JSON.stringify(part)) - 2;
  return `${part.repeat(Math.max(0, Math.floor((bytes - 1) / each)))}b`;
}

/** Values of every shape, as JSON of about `bytes`. */
export const hostileValues: Readonly<Record<string, (bytes: number) => string>> = {
  "deep lists": (bytes) => nested(bytes, "[", "]"),
  "deep objects": (bytes) => `${'{"a":'.repeat(Math.floor(bytes / 6))}1${"}".repeat(Math.floor(bytes / 6))}`,
  "lists up to the limit": (bytes) => nested(Math.min(bytes, 2 * 120), "[", "]"),
  "empty lists": (bytes) => `[${"[],".repeat(Math.floor(bytes / 3))}0]`,
  "empty lists up to the limit": (bytes) => `[${"[],".repeat(Math.min(24_000, Math.floor(bytes / 3)))}0]`,
  "deep lists in a list": (bytes) => `[${`${nested(200, "[", "]")},`.repeat(Math.min(480, Math.floor(bytes / 201)))}0]`,
  numbers: (bytes) => `[${"1e9,".repeat(Math.min(48_000, Math.floor(bytes / 4)))}0]`,
  "great numbers": (bytes) => "9".repeat(bytes),
  "many keys": (bytes) => manyKeys(Math.min(24_000, Math.floor(bytes / 13))),
  "equal keys": (bytes) => `{${'"a":0,'.repeat(Math.min(24_000, Math.floor(bytes / 6)))}"a":1}`,
  "a long key": (bytes) => `{${JSON.stringify("k".repeat(bytes))}:1}`,
  "many long texts": (bytes) => `[${`"${"x".repeat(1000)}",`.repeat(Math.floor(bytes / 1003))}0]`,
  "a long text": (bytes) => JSON.stringify("é".repeat(Math.floor(bytes / 2))),
  escapes: (bytes) => `"${"\\u0061".repeat(Math.floor(bytes / 6))}"`,
  "no end": (bytes) => '{"a":['.repeat(Math.floor(bytes / 6)),
};

function nested(bytes: number, open: string, close: string): string {
  return open.repeat(Math.floor(bytes / 2)) + close.repeat(Math.floor(bytes / 2));
}

function manyKeys(count: number): string {
  return `{${Array.from({ length: count }, (_, at) => `"k${String(at).padStart(7, "0")}":0`).join(",")}}`;
}
