import { expect, test } from "vitest";
import { CombinedRedactor } from "../../../packages/core/src/call/redact/combined.ts";
import { createRedactor } from "../../../packages/core/src/call/redact/redactor.ts";
import { encodings, type Dice } from "./encodings.ts";

const values = {
  TOKEN: "sk-Live_0123456789abcdef",
  AWS: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  PHRASE: `it's "quoted" & <b>50%</b> \\ back/slash`,
  KEY: "-----BEGIN KEY-----\nMIIEv+Q/AB==\r\n\t-----END KEY-----\n",
  WORLD: "pässwörd für 世界 🔑🗝",
  SHORT: "12345678",
} as const;
const all = Object.entries(values).map(([name, value]) => ({ name, value }));
const dice = (bytes = "", flips: readonly boolean[] = [false]): Dice => {
  let next = 0;
  return { flip: () => flips[next++ % flips.length] ?? false, bytes: () => Buffer.from(bytes) };
};

for (const [name, value] of Object.entries(values)) {
  test.each(Object.entries(encodings))(`hides ${name} %s`, (_, encoding) => {
    const redactor = createRedactor(all);
    const label = `[REDACTED:${name}]`;
    for (const flips of [[false], [true], [true, false, false]]) {
      for (const bytes of ["", "a", "ab", "abc", "\0\xff"]) {
        const { text, before = "", after = "" } = encoding(value, dice(bytes, flips));
        expect(redactor.text(text)).toBe(before + label + after);
        expect(redactor.text(`<${text}> and (${text})`)).toBe(
          `<${before}${label}${after}> and (${before}${label}${after})`,
        );
      }
    }
  });
}

test("leaves text without secrets alone, and is the same string", () => {
  const redactor = createRedactor(all);
  for (const text of ["", "short", "1234567", "nothing to see here ".repeat(10_000), "世界 🔑".repeat(100)]) {
    expect(redactor.text(text)).toBe(text);
  }
});

test("another case of a letter is another text, except in hex digits of an escape", () => {
  const redactor = createRedactor([{ name: "A", value: "Geheim+Wort" }]);
  for (const text of ["GEHEIM+WORT", "geheim+wort", "GEHEIM%2BWORT", "r2voZWltK1dvcnQ="]) {
    expect(redactor.text(text)).toBe(text);
  }
  expect(redactor.text("Geheim%2bWort Geheim%2BWort")).toBe("[REDACTED:A] [REDACTED:A]");
});

test("two secrets may differ in case only", () => {
  const redactor = createRedactor([
    { name: "UPPER", value: "SECRET-WORD" },
    { name: "LOWER", value: "secret-word" },
  ]);
  expect(redactor.text("secret-word SECRET-WORD Secret-Word")).toBe("[REDACTED:LOWER] [REDACTED:UPPER] Secret-Word");
});

test.each([
  ["one within the other", "xx0123456789abyy", "xx[REDACTED:LONG]yy"],
  ["the inner one alone", "xx23456789yy", "xx[REDACTED:INNER]yy"],
  ["one that begins like the other", "xx01234567yy", "xx[REDACTED:HEAD]yy"],
  ["an overlap", "xx0123456789abcdefyy", "xx[REDACTED:LONG]yy"],
  ["an overlap of parts", "xx56789abcdefyy", "xx[REDACTED:TAIL]yy"],
  ["a chain", "xx01234567 01234567yy", "xx[REDACTED:HEAD] [REDACTED:HEAD]yy"],
  ["side by side", "0123456701234567", "[REDACTED:HEAD][REDACTED:HEAD]"],
])("no tail is left of %s", (_, text, expected) => {
  const secrets = [
    { name: "HEAD", value: "01234567" },
    { name: "LONG", value: "0123456789ab" },
    { name: "INNER", value: "23456789" },
    { name: "TAIL", value: "56789abcdef" },
  ];
  expect(createRedactor(secrets).text(text)).toBe(expected);
  expect(createRedactor(secrets.toReversed()).text(text)).toBe(expected);
});

test("a secret that overlaps itself leaves nothing", () => {
  const redactor = createRedactor([{ name: "A", value: "abababab" }]);
  expect(redactor.text("xabababababax")).toBe("x[REDACTED:A]ax");
});

test("a value that ends in a line break is found without it too", () => {
  const redactor = createRedactor([{ name: "A", value: "from-a-file\n" }]);
  expect(redactor.text("from-a-file")).toBe("[REDACTED:A]");
  expect(redactor.text("from-a-file\n.")).toBe("[REDACTED:A].");
});

test("the first name of a value that has two is shown", () => {
  const redactor = createRedactor([
    { name: "A", value: "same-value" },
    { name: "B", value: "same-value" },
  ]);
  expect(redactor.text("same-value")).toBe("[REDACTED:A]");
});

test("a label never tells a secret", () => {
  expect(createRedactor([{ name: "PASSWORD", value: "PASSWORD" }]).text("my PASSWORD")).toBe("my [REDACTED]");
  expect(createRedactor([{ name: "A", value: "REDACTED" }]).text("REDACTED")).toBe("[…]");
});

test("refuses what is too short to be found, by name and not by value", () => {
  const make = () => createRedactor([{ name: "PIN", value: "1234567" }]);
  expect(make).toThrow(/Secret PIN .* at least 8 characters/);
  expect(make).not.toThrow(/1234567/);
});

test("without secrets there is nothing to do", () => {
  const redactor = createRedactor([]);
  const value = { a: ["b"] };
  expect(redactor.isEmpty).toBe(true);
  expect(redactor.text("a")).toBe("a");
  expect(redactor.value(value)).toBe(value);
  expect(redactor.stream().push("a")).toBe("a");
  expect(createRedactor(all).isEmpty).toBe(false);
});

test("finds a secret anywhere in a long text, whatever the alphabet around it", () => {
  const redactor = createRedactor(all);
  for (const filler of ["x", "世"]) {
    for (let at = 65_500; at < 65_560; at++) {
      const text = filler.repeat(at) + values.TOKEN + filler.repeat(70_000);
      expect(redactor.text(text) === `${filler.repeat(at)}[REDACTED:TOKEN]${filler.repeat(70_000)}`).toBe(true);
    }
  }
});

test("a thousand secrets are each found", () => {
  const secrets = Array.from({ length: 1000 }, (_, i) => ({ name: `S${i}`, value: `shared-prefix-${i * 7919}-end` }));
  const redactor = createRedactor(secrets);
  for (const { name, value } of secrets) expect(redactor.text(`(${value})`)).toBe(`([REDACTED:${name}])`);
});

test("text that is nearly a secret at every place is no burden", () => {
  const redactor = createRedactor([{ name: "A", value: "a".repeat(4095) + "b" }]);
  const text = "a".repeat(100_000);
  expect(redactor.text(text) === text).toBe(true);
  expect(redactor.text(`${text}b`)).toBe(`${"a".repeat(100_000 - 4095)}[REDACTED:A]`);
});

const escapes: Record<string, (code: number) => string> = {
  "not escaped": (code) => String.fromCharCode(code),
  "percent-encoded": (code) => `%${code.toString(16).padStart(2, "0")}`,
  "percent-encoded in upper case": (code) => `%${code.toString(16).toUpperCase().padStart(2, "0")}`,
  "escaped as in JSON": (code) => `\\u${code.toString(16).padStart(4, "0")}`,
  "escaped as in JSON inside JSON": (code) => `\\\\u${code.toString(16).padStart(4, "0")}`,
  "escaped as in JavaScript": (code) => `\\x${code.toString(16).padStart(2, "0")}`,
  "a decimal character reference": (code) => `&#${code};`,
  "a hexadecimal character reference": (code) => `&#x${code.toString(16)};`,
};

test.each(Object.entries(escapes))("hides a secret of which any character is %s", (_, escape) => {
  const value = "sk-Live_0123456789abcdef";
  const redactor = createRedactor([{ name: "TOKEN", value }]);
  const write = (isEscaped: (at: number) => boolean) =>
    Array.from(value, (character, at) => (isEscaped(at) ? escape(character.charCodeAt(0)) : character)).join("");
  for (const isEscaped of [
    () => true,
    (at: number) => at === 0,
    (at: number) => at === 23,
    (at: number) => at % 3 === 1,
  ]) {
    const text = write(isEscaped);
    expect(redactor.text(`100% <${text}> & ${text}.`)).toBe("100% <[REDACTED:TOKEN]> & [REDACTED:TOKEN].");
    expect(redactor.value({ a: [text] })).toEqual({ a: ["[REDACTED:TOKEN]"] });
    for (const size of [1, 2, 5, 7]) {
      const stream = redactor.stream();
      const chunks = `<${text}> & ${text}.`.match(new RegExp(`.{1,${size}}`, "gs")) ?? [];
      expect(chunks.map((chunk) => stream.push(chunk)).join("") + stream.end()).toBe(
        "<[REDACTED:TOKEN]> & [REDACTED:TOKEN].",
      );
    }
  }
});

test("text with escapes that hold no secret stays as it is", () => {
  const redactor = createRedactor(all);
  for (const text of [
    "100%",
    "%7",
    "%ff%fe%e4",
    "\\u12",
    "&#;",
    "&#x110000;",
    "\\".repeat(1000),
    "%41%42 &#65; \\u0041",
  ]) {
    expect(redactor.text(text)).toBe(text);
    const stream = redactor.stream();
    expect(stream.push(text) + stream.end()).toBe(text);
  }
});

test("overlapping secrets of two sources leave no rest of either", () => {
  const combined = new CombinedRedactor().of([
    createRedactor([{ name: "A", value: "alpha-bravo" }]),
    createRedactor([{ name: "B", value: "bravo-charlie" }]),
  ]);
  expect(combined?.text("(alpha-bravo-charlie)")).toBe("([REDACTED:A])");
  expect(combined?.value(["xalpha-bravo-charliex", "bravo-charlie"])).toEqual(["x[REDACTED:A]x", "[REDACTED:B]"]);
  const stream = combined?.stream();
  expect(["(alpha-br", "avo-char", "lie)"].map((chunk) => stream?.push(chunk)).join("") + stream?.end()).toBe(
    "([REDACTED:A])",
  );
});

test("the secrets of many sources are found in one search", () => {
  let searches = 0;
  const sources = Array.from({ length: 50 }, (_, at) => {
    const redactor = createRedactor([{ name: `S${at}`, value: `secret-number-${at}-of-many` }]);
    const has = (text: string) => (searches++, redactor.finder.has(text));
    const spans = (text: string) => (searches++, redactor.finder.spans(text));
    return { ...redactor, finder: { ...redactor.finder, has, spans } };
  });
  const combined = new CombinedRedactor().of([...sources, ...sources]);
  expect(combined?.value({ text: "a secret-number-7-of-many and secret-number-49-of-many" })).toEqual({
    text: "a [REDACTED:S7] and [REDACTED:S49]",
  });
  expect(searches).toBe(0);
  const nested = new CombinedRedactor().of([combined, createRedactor([{ name: "OTHER", value: "another-secret" }])]);
  expect(nested?.text("another-secret, secret-number-0-of-many")).toBe("[REDACTED:OTHER], [REDACTED:S0]");
});
