import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { highlightRules } from "../../page/src/views/policies/highlight-rules.ts";
import { anyCharacter } from "../support/any-character.ts";

const joined = (text: string) =>
  highlightRules(text)
    .map((tokens) => tokens.map((token) => token.text).join(""))
    .join("\n");

const coloured = (text: string) =>
  highlightRules(text).map((tokens) =>
    tokens.filter(({ kind }) => kind !== "plain").map((token) => `${token.kind} ${token.text}`),
  );

const yaml = fc
  .array(fc.constantFrom(..."\n \t-:#,{}[]\"'\\|>&*a1".split(""), "\r\n", ": ", "- ", " #", "|\n  ", "deny: "))
  .map((parts) => parts.join(""));

describe("the tokens of rules", () => {
  test("are the text again", () => {
    fc.assert(
      fc.property(fc.oneof(yaml, fc.string({ unit: anyCharacter, maxLength: 200 })), (text) => {
        expect(joined(text)).toBe(text);
      }),
    );
  });

  test("are keys, verdicts, strings, numbers and comments", () => {
    expect(
      coloured(
        `# all\n- name: it's "large" #1\n  tool: "refund_*" # one\n  arguments: { amount: { min: 1000 }, 'a b': [true, -2.5] }\n  ask: "May {agent}: \\"it\\"?"\n  url: http://a#b`,
      ),
    ).toEqual([
      ["comment # all"],
      ["key name", "comment #1"],
      ["key tool", 'string "refund_*"', "comment # one"],
      ["key arguments", "key amount", "key min", "number 1000", "key 'a b'", "keyword true", "number -2.5"],
      ["ask ask", 'string "May {agent}: \\"it\\"?"'],
      ["key url"],
    ]);
  });

  test("include text of several lines, which ends with its quote or its indentation", () => {
    expect(coloured("- deny: >-\n    Not: now\n\n    # never\n  tool: a\n- ask: 'It''s\n    x: y' # z")).toEqual([
      ["deny deny"],
      ["string     Not: now"],
      [],
      ["string     # never"],
      ["key tool"],
      ["ask ask", "string 'It''s"],
      ["string     x: y'", "comment # z"],
    ]);
  });

  test.each(["'", '"', "\\", "a: ", "{", "- ", " #", "|", " ", "a ", ":", '"a" '])("of many %j are found", (part) => {
    const text = part.repeat(50_000);
    expect(joined(text)).toBe(text);
  });
});
