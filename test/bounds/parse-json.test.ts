import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeText } from "../../packages/core/src/bounds/decode-text.ts";
import { parseJson } from "../../packages/core/src/bounds/parse-json.ts";

/** Items, keys, lists and objects, and the levels of nesting, of a parsed value. */
function measure(value: unknown): { parts: number; depth: number } {
  if (typeof value !== "object" || value === null) return { parts: 0, depth: 0 };
  const members = Object.values(value).map(measure);
  const own = Math.max(0, members.length - 1) + (Array.isArray(value) ? 0 : members.length);
  return {
    parts: 1 + own + members.reduce((sum, { parts }) => sum + parts, 0),
    depth: 1 + Math.max(0, ...members.map(({ depth }) => depth)),
  };
}

test("JSON within its limits is parsed, and JSON beyond them is refused", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 12 }), fc.nat(12), fc.nat(60), (text, maxDepth, maxParts) => {
      const { parts, depth } = measure(JSON.parse(text));
      const padded = `${text}${" ".repeat(100)}`;
      if (depth > maxDepth || parts > maxParts)
        expect(() => parseJson(padded, { maxDepth, maxParts })).toThrow(RangeError);
      else expect(parseJson(padded, { maxDepth, maxParts })).toEqual(JSON.parse(text));
    }),
  );
});

test.each([
  ["[".repeat(200_000), "is nested deeper than 128 levels"],
  [`[${"[],".repeat(50_000)}0]`, "has more than 50000 items and keys"],
  [`{${Array.from({ length: 25_001 }, (_, at) => `"k${at}":0`).join()}}`, "has more than 50000 items and keys"],
])("a message that would hold the event loop is refused before it is parsed", (text, why) => {
  expect(() => parseJson(text)).toThrow(new RangeError(why));
});

test("what follows a long string with escaped quotes counts", () => {
  for (const quotes of [15, 16, 17, 20_000, 20_001]) {
    const text = `["${"a".repeat(9000)}${'\\"'.repeat(quotes)}",${"[".repeat(200)}`;
    expect(() => parseJson(text)).toThrow(new RangeError("is nested deeper than 128 levels"));
  }
});

test("what is inside strings does not count, on whatever page of a long text it is", () => {
  for (const length of [8189, 8190, 8191, 8192, 8193]) {
    const value = ["a".repeat(length), '\\",[{"'.repeat(30_000), "日,本[".repeat(30_000)];
    expect(parseJson(JSON.stringify(value))).toEqual(value);
  }
});

test("long strings end at their own quotes, whatever is escaped around the pages", () => {
  const pieces = fc.array(fc.constantFrom("\\", '"', "[", ",", "a", "\\\\", 'x\\"', "日"), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 4 }), fc.nat(20), (all, shift) => {
      const strings = all.map((each) => "p".repeat(shift) + each.join("").repeat(6000));
      const text = JSON.stringify(strings.map((each) => [each, { each }]));
      const { parts } = measure(JSON.parse(text));
      expect(parseJson(text, { maxParts: parts })).toEqual(JSON.parse(text));
      expect(() => parseJson(text, { maxParts: parts - 1 })).toThrow(RangeError);
    }),
  );
});

test("text that is not JSON is a syntax error", () => {
  for (const text of ["", "{", "nul", '{"a":}', `${" ".repeat(60_000)}[`])
    expect(() => parseJson(text)).toThrow(SyntaxError);
});

test("long text is decoded like short text, and bytes that are not UTF-8 are refused", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (part) => {
      for (const text of [part, part.repeat(2000), `\ufeff${part}${"é".repeat(20_000)}`])
        expect(decodeText(Buffer.from(text))).toBe(Buffer.from(text).toString());
    }),
  );
  for (const length of [0, 100_000])
    expect(decodeText(Buffer.concat([Buffer.alloc(length, "a"), Buffer.from([0xc3, 0x28])]))).toBeUndefined();
});
