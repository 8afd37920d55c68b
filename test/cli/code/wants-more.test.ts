import fc from "fast-check";
import { expect, test } from "vitest";
import { completeLine } from "../../../packages/biplane/src/cli/code/complete-line.ts";
import { needsMoreInput } from "../../../packages/biplane/src/cli/code/needs-more-input.ts";

const whole = {
  javascript: [
    "1 + 1",
    "'('",
    "`${[1]}(`",
    "// (",
    "/* ( */ 1",
    String.raw`/[(]\/{/.test(x)`,
    "a / (b) / c",
    "'it\\'s ('",
    "x = '",
    "`a\nb`",
  ],
  python: ["x = 1", "'(' # (", "if a: b", "'''(\n'''", "def f():\n  return {\n    1: 2}\n", "x[1:\n2]", '"#"'],
  starlark: ["x = [1,\n2]", "for a in b:\n  print(a)\n"],
} as const;

const begun = {
  javascript: ["f(", "const x = {", "`a ${b(", "`text", "/* more", "if (x) {", "`${`", "return /a/ + ("],
  python: ["def f():", "if a:  # why", "def f():\n  return 1", "'''text", "f(1,", "x = 1 + \\", "class A:\n  pass"],
  starlark: ["for a in b:", "[1,"],
} as const;

const languages = ["javascript", "python", "starlark"] as const;

test.each(languages)("%s that is whole is sent, and what is begun goes on", (language) => {
  expect(whole[language].filter((text) => needsMoreInput(text, language))).toEqual([]);
  expect(begun[language].filter((text) => !needsMoreInput(text, language))).toEqual([]);
});

test("two empty lines send anything, and nothing that is typed holds it up", () => {
  const signs = fc.constantFrom(...Array.from("`'\"/\\*#$(){}[]:\n\r\t ax1"), '"""', "'''", "${", "/*", "*/");
  fc.assert(
    fc.property(fc.array(signs, { maxLength: 60 }), fc.constantFrom(...languages), (parts, language) => {
      const text = parts.join("");
      expect(typeof needsMoreInput(text, language)).toBe("boolean");
      expect(needsMoreInput(`${text}\n\n`, language)).toBe(false);
    }),
  );
});

test("long input is read in no time", () => {
  const long = "(".repeat(50_000) + "/".repeat(50_000) + "'".repeat(50_000) + "\\".repeat(50_000);
  for (const language of languages) expect(needsMoreInput(long, language)).toBe(true);
});

test("completion knows tools by the names that code has for them, and by their own where they are text", () => {
  const known = { names: ["get_page", "browser.open"], language: "javascript" } as const;
  expect(completeLine("await get", known)).toEqual([["get_page(", "get_tool_schema("], "get"]);
  expect(completeLine("browser", known)).toEqual([["browser_open("], "browser"]);
  expect(completeLine('tools["br', known)).toEqual([["browser.open"], "br"]);
  expect(completeLine(":schema g", known)).toEqual([["get_page"], "g"]);
  expect(completeLine("x.get", known)).toEqual([[], "x.get"]);
});
