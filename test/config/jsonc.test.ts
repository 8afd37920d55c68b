import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readJsonc } from "../../packages/biplane/src/config/jsonc.ts";

const runs = process.env["BIPLANE_SOAK"] ? 50_000 : 200;
const attempt = (read: () => unknown) => {
  try {
    return { value: read() };
  } catch {
    return "refused";
  }
};

test("any JSON is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), fc.constantFrom(0, 2), (value, spaces) => {
      const text = JSON.stringify(value, undefined, spaces);
      fc.pre(!text.includes('"__proto__"'));
      expect(readJsonc(text).value).toEqual(JSON.parse(text));
    }),
    { numRuns: runs },
  );
});

test("text that is almost JSON is refused, or means what JSON.parse says where that takes it", () => {
  const mangled = fc
    .tuple(
      fc.jsonValue(),
      fc.nat(),
      fc.constantFrom("", ",", '"', "}", "[", "\\", "1", "e", "-", "\u0001", "/*", "nul"),
    )
    .map(([value, at, sign]) => {
      const text = JSON.stringify(value);
      const place = at % (text.length + 1);
      return text.slice(0, place) + sign + text.slice(place + (sign === "" ? 1 : 0));
    });
  const check = fc.check(
    fc.property(mangled, (text) => {
      fc.pre(!text.includes("__proto__"));
      const theirs = attempt(() => JSON.parse(text) as unknown);
      const ours = attempt(() => readJsonc(text).value);
      // What only we take has a comma before an end; a key that is there twice only we refuse.
      if (ours === "refused") return true;
      if (theirs === "refused") return /,\s*[\]}]/.test(text);
      return isDeepStrictEqual(ours, theirs);
    }),
    { numRuns: runs },
  );
  expect(check.counterexample).toBeNull();
});

test("comments and commas before an end are no part of it, inside texts they are", () => {
  const text = '\uFEFF// first\n{ "a": [1, /* two, */ 2,], "b": "// no /* comment */", } // last';
  expect(readJsonc(text).value).toEqual({ a: [1, 2], b: "// no /* comment */" });
});

test("it knows where everything stands", () => {
  const text = '{ "a": { "b": ["x", 5] } }';
  const { rangeOf } = readJsonc(text);
  const at = (...place: Parameters<typeof rangeOf>) => text.slice(...rangeOf(...place));
  expect([at(["a", "b", 1], "value"), at(["a", "b"], "key"), at(["a", "missing"], "value")]).toEqual([
    "5",
    '"b"',
    '"a"',
  ]);
});

test.each([
  ['{"a": 1, "a": 2}', "twice", 9],
  ['{"__proto__": {}}', "__proto__", 1],
  ["[".repeat(100), "nested too deeply", 64],
  ["{'a': 1}", "double quotes", 1],
  ['{"a" 1}', "a colon", 5],
  ["[1 2]", "a comma", 3],
  ["[,]", "where a value", 1],
  ["{} x", "is not JSON", 3],
  ["{} 1", "after its end", 3],
  ["", "a value is expected", 0],
  ["/* never", "comment that does not end", 0],
  ['{"a": "never', "does not end", 6],
])("%s is refused, with the place", (text, message, offset) => {
  expect(() => readJsonc(text)).toThrow(
    expect.objectContaining({ message: expect.stringContaining(message) as string, details: { offset } }) as Error,
  );
});

test("a long text takes no more than its length", () => {
  const long = JSON.stringify({ a: 'x\\"'.repeat(100_000) });
  expect(readJsonc(`/*${"*".repeat(200_000)}*/${long}`).value).toEqual(JSON.parse(long));
  expect(() => readJsonc(" ".repeat(2_000_000))).toThrow("is longer than");
});
