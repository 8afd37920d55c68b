import fc from "fast-check";
import { expect, it, test } from "vitest";
import { glob } from "../../../packages/biplane/src/pack/shared/files/glob.ts";

const matches = (pattern: string, path: string, anywhere = false) => glob(pattern, { anywhere })(path.split("/"));

it.each([
  ["*.ts", "a.ts", true],
  ["*.ts", "x/a.ts", false],
  ["**/*.ts", "a.ts", true],
  ["**/*.ts", "x/y/a.ts", true],
  ["src/**", "src/a/b", true],
  ["src/**", "src", true],
  ["src/**/b", "src/b", true],
  ["src/**/b", "src/a/a/b", true],
  ["src/**/b", "src/a/c", false],
  ["a?c", "abc", true],
  ["a?c", "a👍c", true],
  ["a?c", "ac", false],
  ["[a-c]x", "bx", true],
  ["[!a-c]x", "bx", false],
  ["[!a-c]x", "dx", true],
  ["*.{md,txt}", "a.txt", true],
  ["{a,b}/{c,d}", "b/c", true],
  ["{a,{b,c}}", "c", true],
  ["*", ".hidden", true],
  ["a.c", "abc", false],
  ["[", "[", true],
  ["{", "{", true],
  ["**", "a/b", true],
])("%s on %s: %s", (pattern, path, expected) => {
  expect(matches(pattern, path)).toBe(expected);
});

test("a pattern without a slash fits in every folder when asked to", () => {
  expect(matches("*.ts", "x/y/a.ts", true)).toBe(true);
  expect(matches("y/*.ts", "x/y/a.ts", true)).toBe(false);
});

test("a name fits itself, and stars fit everything", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "b", ".", "-", "é", "👍"), minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), (names) => {
      const clean = names.filter((one) => one !== ".");
      expect(glob(clean.join("/"))(clean)).toBe(true);
      expect(glob(clean.map(() => "*").join("/"))(clean)).toBe(true);
      expect(glob("**")(clean)).toBe(true);
      expect(glob(`${clean.join("/")}x`)(clean)).toBe(false);
    }),
  );
});

test("hostile patterns finish", () => {
  expect(matches(`${"*a".repeat(200)}b`, "a".repeat(255))).toBe(false);
  expect(matches(`${"**/".repeat(150)}b`, Array.from({ length: 64 }, () => "a").join("/"))).toBe(false);
  expect(() => glob("{a,b}".repeat(10))).toThrow("64 patterns");
  expect(() => glob("a".repeat(501))).toThrow("500");
});
