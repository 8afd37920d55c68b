import { hostileText, hostileValues, textKinds } from "./hostile-texts.ts";

/** Contents of a file in one format, by what is hostile in them. */
export type Contents = Readonly<Record<string, (size: number) => string>>;

const many = (size: number, part: (at: number) => string): string => {
  const parts: string[] = [];
  for (let length = 0, at = 0; length < size; at++) {
    const next = part(at);
    parts.push(next);
    length += next.length;
  }
  return parts.join("");
};
const repeat = (part: string) => (size: number) => part.repeat(Math.max(1, Math.floor(size / part.length)));

/** Any text at all. */
export const texts: Contents = Object.fromEntries(textKinds.map((kind) => [kind, (size) => hostileText(kind, size)]));

export const json: Contents = {
  ...hostileValues,
  "an object of long lists": (size) => `{"items":[${many(size, (at) => `{"a":${at}},`)}0]}`,
};

const frontMatter: Contents = {
  "flow lists": (size) => "[".repeat(size),
  "closed flow lists": (size) => "[".repeat(size / 2) + "]".repeat(size / 2),
  "flow maps": repeat("{a: "),
  "block lists": repeat("- "),
  "deeper and deeper maps": (size) => many(size, (at) => `${" ".repeat(Math.min(at, 200))}k:\n`),
  "many keys": (size) => many(size, (at) => `k${at}: 1\n`),
  "equal keys": repeat("a: 1\n"),
  "keys that are lists": repeat("? [a]\n"),
  anchors: (size) => `a: &a [x]\n${many(size, () => "b: *a\n")}`,
  "anchors of anchors": (size) => many(size, (at) => `a${at}: &a${at} [${`*a${Math.max(0, at - 1)}, `.repeat(9)}x]\n`),
  "merged keys": (size) => `a: &a {b: 1}\n${many(size, (at) => `c${at}:\n  <<: *a\n`)}`,
  tags: repeat("!!str "),
  "a long text": (size) => `a: ${"x ".repeat(size / 2)}`,
  "a quoted text": (size) => `a: "${"\\x41".repeat(size / 4)}"`,
  "a text without an end": (size) => `a: "${"x\n ".repeat(size / 3)}`,
  "a folded text": (size) => `a: >\n${many(size, () => "  x\n\n")}`,
  comments: repeat("# x\n"),
  "commas and colons": repeat(",:"),
  tabs: repeat("\t"),
  dates: repeat("- 2026-01-01T00:00:00Z\n"),
  numbers: repeat("- 0x1f\n"),
  documents: repeat("...\n%YAML 1.2\n"),
  "tags of the vault": (size) => `tags: [${many(size, (at) => `t${at}, `)}x]`,
};

/** A note of the vault or of the memory. */
export const notes: Contents = {
  ...texts,
  ...Object.fromEntries(
    Object.entries(frontMatter).map(([name, make]) => [
      `YAML ${name}`,
      (size: number) => `---\n${make(size)}\n---\ntext\n`,
    ]),
  ),
  "YAML without an end": (size) => `---\n${"a: b\n".repeat(size / 5)}`,
  "wiki links": (size) => many(size, (at) => `[[note ${at}#part|name]] `),
  "links without an end": repeat("[a](b "),
  "Markdown tags": (size) => many(size, (at) => `#t${at} `),
  "code without an end": (size) => `\`\`\`\n${"[[a]] ".repeat(size / 6)}`,
  headings: repeat("# a\n"),
};

const event = (inside: string, at = 0) =>
  `BEGIN:VEVENT\nUID:${at}\nDTSTART:20260101T000000Z\nDTEND:20260101T010000Z\n${inside}END:VEVENT\n`;
const calendar = (inside: string) => `BEGIN:VCALENDAR\nVERSION:2.0\n${inside}END:VCALENDAR\n`;

export const calendars: Contents = {
  ...texts,
  "events without an end": (size) => calendar(repeat("BEGIN:VEVENT\n")(size)),
  "other ends": (size) => repeat("BEGIN:VEVENT\nEND:VTODO\n")(size),
  "nested parts": (size) => repeat("BEGIN:A\n")(size / 2) + repeat("END:A\n")(size / 2),
  "many events": (size) => calendar(many(size, (at) => event("SUMMARY:a\n", at))),
  "events without end in time": (size) => calendar(many(size, (at) => event("RRULE:FREQ=SECONDLY\n", at))),
  "rules that match nothing": (size) =>
    calendar(many(size, (at) => event("RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30\n", at))),
  "exceptions of a rule": (size) =>
    calendar(event(`RRULE:FREQ=DAILY\nEXDATE:${many(size, () => "20260102T000000Z,")}20260103T000000Z\n`)),
  "changed events of a rule": (size) =>
    calendar(event("RRULE:FREQ=DAILY\n") + many(size, () => event("RECURRENCE-ID:20260102T000000Z\n"))),
  "folded lines": (size) => calendar(event(`SUMMARY:${repeat("a\r\n ")(size)}\n`)),
  "a long line": (size) => calendar(event(`SUMMARY:${"\\n".repeat(size / 2)}\n`)),
  "long texts of events": (size) => calendar(many(size, (at) => event(`DESCRIPTION:${"a".repeat(10_000)}\n`, at))),
  parameters: (size) => calendar(event(`ATTENDEE;${repeat("A=b;")(size)}C=d:x\n`)),
  "quoted parameters": (size) => calendar(event(`ATTENDEE;A=${repeat('"b",')(size)}:x\n`)),
  "time zones": (size) =>
    calendar(
      many(
        size,
        (at) =>
          `BEGIN:VTIMEZONE\nTZID:z${at}\nBEGIN:STANDARD\nDTSTART:19700101T000000\nRRULE:FREQ=YEARLY;BYMONTH=1\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0000\nEND:STANDARD\nEND:VTIMEZONE\n`,
      ),
    ),
};

export const pages: Contents = {
  ...texts,
  "nested parts": repeat("<div>"),
  "nested lists": repeat("<ul><li>"),
  "nested quotes": repeat("<blockquote>"),
  "tables in tables": repeat("<table><tr><td>"),
  "wrong ends": repeat("<b><i></b></i>"),
  attributes: (size) => `<p ${many(size, (at) => `a${at}=b `)}>text</p>`,
  "attributes without an end": (size) => `<p a="${"x".repeat(size)}`,
  "links in links": repeat("<a href=x>"),
  scripts: repeat("<script>"),
  "named entities": repeat("&notin;"),
  "long table": (size) => `<table>${repeat("<tr><td>a<td>b")(size)}</table>`,
  paragraphs: repeat("<p>a b c</p>"),
  "code parts": repeat("<pre><code>x"),
  formatting: repeat("<b>"),
  templates: repeat("<template>"),
  "foreign content": repeat("<svg><foreignObject>"),
  "select options": repeat("<select><option>"),
};

export const robots: Contents = {
  ...texts,
  "many rules": (size) => `User-agent: *\n${many(size, (at) => `Disallow: /${at}*a*b$\n`)}`,
  "stars in rules": (size) => `User-agent: *\n${many(size, () => `Disallow: /${"*a".repeat(40)}$\n`)}`,
  "rules that nearly match": (size) => `User-agent: *\n${many(size, () => "Disallow: /*aaaaab\n")}`,
  "a rule of stars": (size) => `User-agent: *\nDisallow: /${"*a".repeat(size / 2)}\n`,
  "many agents": (size) => many(size, (at) => `User-agent: a${at}\n`),
};

export const scripts: Contents = {
  ...texts,
  "a header of parameters": (size) => many(size, (at) => `# @param p${at}?: string = "x" The text\n`),
  "a header of secrets": (size) => `# @secrets: ${many(size, (at) => `A${at},`)}B\n`,
  "a header of other keys": (size) => many(size, (at) => `# @k${String.fromCharCode(97 + (at % 26))}: x\n`),
  "a long header line": (size) => `# @description${" ".repeat(size)}x\n`,
  "a long default": (size) => `# @param a?: string = "${"\\\\".repeat(size / 2)}\n`,
  statements: repeat("1;"),
  "nested calls": repeat("f("),
  functions: (size) => many(size, (at) => `def f${at}():\n  return 1\n`),
  "deeper and deeper blocks": (size) => many(size, (at) => `${" ".repeat(Math.min(at, 100))}if True:\n`),
  "a large result": (size) => `def main():\n  return [[]] * ${Math.floor(size / 4)}\n`,
  "a deep result": (size) =>
    `def main():\n  a = []\n  for i in range(${Math.floor(size / 4)}):\n    a = [a]\n  return a\n`,
  "a great number": (size) => `def main():\n  return int("9" * ${size})\n`,
  "a long text": (size) => `def main():\n  return "%41" * ${Math.floor(size)}\n`,
  "many prints": (size) => `def main():\n  for i in range(${size}):\n    print(i)\n`,
  exports: (size) => many(size, (at) => `a${at} = 1\n`),
};

/** What git reads in a repository: its config, and files that change how it works. */
export const gitFiles: Readonly<Record<string, Contents>> = {
  ".git/config": {
    sections: (size) => many(size, (at) => `[remote "r${at}"]\n  url = https://example.org/${at}\n`),
    "a long value": (size) => `[core]\n  a = ${"x".repeat(size)}\n`,
    branches: (size) => many(size, (at) => `[branch "b${at}"]\n  remote = r\n`),
    words: texts["words"] as (size: number) => string,
  },
  ".gitignore": { patterns: (size) => many(size, (at) => `*${at}*a*b\n`), stars: repeat("**/*a\n") },
  ".gitattributes": { attributes: (size) => many(size, (at) => `*.a${at} text diff=x\n`) },
  ".git/packed-refs": { refs: (size) => many(size, (at) => `${"0".repeat(39)}1 refs/heads/b${at}\n`) },
  "changed.txt": texts,
};
