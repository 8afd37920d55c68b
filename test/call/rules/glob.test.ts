import fc from "fast-check";
import { expect, test } from "vitest";
import { compileGlob } from "../../../packages/core/src/call/rules/glob.ts";
import { runs } from "../../support/runs.ts";

test.each([
  ["refund_*", "refund_order", true],
  ["refund_*", "refund_", true],
  ["refund_*", "a refund_order", false],
  ["*_order", "refund_order", true],
  ["a?c", "abc", true],
  ["a?c", "ac", false],
  ["?", "😀", true],
  ["a.c", "abc", false],
  ["[ab]", "a", false],
  ["", "", true],
  ["", "a", false],
  ["**", "anything", true],
  ["*a*b*a*", "xxaxxbxxaxx", true],
  ["*a*b*a*", "xxaxxbxx", false],
  ["line*end", "line\nend", true],
  ["Refund", "refund", false],
])("the glob %j and the text %j: %s", (glob, text, isMatch) => {
  expect(compileGlob(glob)(text)).toBe(isMatch);
});

const sign = fc.constantFrom("a", "b", "😀", "?", "*");
const letter = fc.constantFrom("a", "b", "😀");

test("a glob says the same as the regular expression it stands for", () => {
  const signs = fc.array(sign, { maxLength: 12 });
  const pairs = signs.chain((each) =>
    fc.tuple(fc.constant(each), fc.oneof(fitting(each), fc.string({ unit: letter }))),
  );
  fc.assert(
    fc.property(pairs, ([glob, text]) => {
      const source = glob.map((each) => (each === "*" ? ".*" : each === "?" ? "." : each)).join("");
      expect(compileGlob(glob.join(""))(text)).toBe(new RegExp(`^${source}$`, "su").test(text));
    }),
    runs(2000),
  );
});

test("a long glob fits what was made to fit it, and not what has one character less or more at its end", () => {
  const signs = fc.array(sign, { minLength: 28, maxLength: 200 });
  fc.assert(
    fc.property(
      signs.chain((each) => fc.tuple(fc.constant(each.join("")), fitting(each))),
      ([glob, text]) => {
        expect(compileGlob(glob)(text)).toBe(true);
        expect(compileGlob(`${glob}c`)(`${text}c`)).toBe(true);
        expect(compileGlob(`${glob}c`)(text)).toBe(false);
        expect(compileGlob(`${glob}c`)(`${text}cd`)).toBe(false);
      },
    ),
    runs(300),
  );
});

test("a glob made to hurt reads each character once", () => {
  const hurting = compileGlob(`${"*a".repeat(60)}*b`);
  const before = process.cpuUsage();
  expect(hurting("a".repeat(400_000))).toBe(false);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
});

function fitting(signs: readonly string[]): fc.Arbitrary<string> {
  const parts = signs.map((each) => {
    if (each === "*") return fc.string({ unit: letter, maxLength: 3 });
    return each === "?" ? letter : fc.constant(each);
  });
  return fc.tuple(...parts).map((all) => all.join(""));
}
