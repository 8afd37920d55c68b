import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inputPairs, inputValues, pairsBeyond } from "../../page/src/components/input-values.ts";
import { isMarkdown, markdownBlocks } from "../../page/src/components/markdown-blocks.ts";
import { comparableJson, jsonDiff, lineDiff } from "../../page/src/components/line-diff.ts";
import { faultsIn } from "../../page/src/components/schema-form/check.ts";
import { initial } from "../../page/src/components/schema-form/schema.ts";
import { tokenize, tokenizeLines } from "../../page/src/components/tokenize.ts";
import type { Language } from "../../page/src/components/tokenize.ts";
import { cutText, visiblePieces } from "../../page/src/components/visible-text.ts";
import { duration } from "../../page/src/format.ts";
import { compileSchema } from "../../packages/core/src/tool/json-schema/compile.ts";
import { anyCharacter } from "../support/any-character.ts";

test("durations are rounded before they are split into minutes and seconds", () => {
  expect([185_000, 239_700, 3_599_800].map(duration)).toEqual(["3 min 5 s", "4 min 0 s", "1 h 0 min"]);
});

const anyText = fc.string({ unit: anyCharacter, maxLength: 200 });
const nasty = fc
  .array(
    fc.constantFrom(
      "a",
      "\n",
      "\t",
      "\r\n",
      "\u001b[31m",
      "\u202e",
      "\u200b",
      "\u0000",
      "\ud800",
      "\udc00",
      "é",
      "👩‍💻",
      "\u{e0041}",
      "[REDACTED:KEY]",
      "[REDACTED]",
      "\u0336".repeat(40),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

/** Would change how the rest looks, or not be seen at all. */
const hidden =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]|\p{Surrogate}/u;

describe("text from outside", () => {
  test("nothing that hides or turns text around gets through, whatever comes", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, nasty), fc.boolean(), (text, isBlock) => {
        for (const piece of visiblePieces(text, isBlock)) {
          expect(piece.text).not.toMatch(hidden);
          if (!isBlock) expect(piece.text).not.toMatch(/[\n\t]/);
          expect(piece.text).not.toBe("");
        }
      }),
    );
  });

  test("what is harmless stays as it is", () => {
    const text = "Plain – “quoted” – שלום – 日本語 – é – 👩‍💻 👍🏽 – می‌خواهم – a\u0301\u0302";
    expect(visiblePieces(text)).toEqual([{ kind: "text", text }]);
    expect(
      visiblePieces("two\n\tlines\r\n", true)
        .map(({ text: shown }) => shown)
        .join(""),
    ).toBe("two\n\tlines\n");
  });

  test("a redaction is distinguished from text, with the secret's name", () => {
    expect(visiblePieces("the [REDACTED:GITHUB_TOKEN]!")).toEqual([
      { kind: "text", text: "the " },
      { kind: "redacted", text: "GITHUB_TOKEN", title: "Redacted secret GITHUB_TOKEN" },
      { kind: "text", text: "!" },
    ]);
  });

  test("a cut never leaves half a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 50 }), fc.integer({ min: 1, max: 40 }), (text, most) => {
        const start = cutText(text, most);
        expect(start.length).toBeLessThanOrEqual(most);
        expect(text.startsWith(start)).toBe(true);
        expect(start).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });
});

describe("coloured source", () => {
  const joined = (tokens: readonly { text: string }[]) => tokens.map((token) => token.text).join("");
  const languages: readonly Language[] = ["starlark", "python", "javascript", "json", "shell", "text"];
  const source = fc.oneof(
    anyText,
    fc
      .array(
        fc.constantFrom(
          '"',
          "'",
          '"""',
          "`",
          "\\",
          "#",
          "//",
          "/*",
          "*/",
          "\n",
          "def ",
          "x(",
          "1e9",
          "0x",
          "-",
          "{",
          ":",
          "é",
        ),
        { maxLength: 60 },
      )
      .map((parts) => parts.join("")),
  );

  test("is the source again, in every language, and so are its lines", () => {
    fc.assert(
      fc.property(source, fc.constantFrom(...languages), (text, language) => {
        expect(joined(tokenize(text, language))).toBe(text);
        expect(tokenizeLines(text, language).map(joined).join("\n")).toBe(text);
      }),
    );
  });

  test("strings, comments, numbers, keywords and calls each have a kind", () => {
    const kinds = (text: string, language: Language) =>
      Object.fromEntries(
        tokenize(text, language)
          .filter(({ kind }) => kind !== "plain")
          .map((token) => [token.text, token.kind]),
      );
    expect(kinds('def main(n = 1.5):\n  return f("it\'s") # no', "starlark")).toEqual({
      def: "keyword",
      main: "name",
      "1.5": "number",
      return: "keyword",
      f: "name",
      '"it\'s"': "string",
      "# no": "comment",
    });
    expect(kinds('{"a": [true, -2, "b"]}', "json")).toEqual({
      '"a"': "key",
      true: "keyword",
      "-2": "number",
      '"b"': "string",
    });
    expect(kinds("const a = `x${1}` // end", "javascript")).toMatchObject({ const: "keyword", "`x${1}`": "string" });
  });

  test("a hostile text finishes", () => {
    const slow = `${'"'.repeat(50_000)}${"\\".repeat(50_000)}${"/*".repeat(50_000)}${"'''".repeat(20_000)}`;
    for (const language of languages) expect(joined(tokenize(slow, language))).toBe(slow);
  });
});

describe("a difference", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 30 }).map((all) => all.join("\n"));

  test("leads from the one text to the other, and numbers their lines", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = lineDiff(before, after);
        const side = (kind: "gone" | "new") => diff.filter((line) => line.kind === "same" || line.kind === kind);
        const text = (side: readonly { text: string }[]) => side.map((line) => line.text);
        const linesOf = (all: string) => (all === "" ? [] : all.replace(/\n$/, "").split("\n"));
        expect(text(side("gone"))).toEqual(linesOf(before));
        expect(text(side("new"))).toEqual(linesOf(after));
        expect(side("gone").map((line) => line.before)).toEqual(side("gone").map((_, at) => at + 1));
        expect(side("new").map((line) => line.after)).toEqual(side("new").map((_, at) => at + 1));
      }),
    );
  });

  test("is the shortest one", () => {
    const changed = (before: string, after: string) =>
      lineDiff(before, after).filter(({ kind }) => kind !== "same").length;
    expect(changed("a\nb\nc\na\nb\nb\na", "c\nb\na\nb\na\nc")).toBe(5);
    expect(changed("a\nb\nc", "a\nx\nc")).toBe(2);
    expect(changed("same\n", "same")).toBe(0);
  });

  test("of two large texts with nothing in common finishes", () => {
    const many = (letter: string) => Array.from({ length: 20_000 }, (_, at) => `${letter}${at}`).join("\n");
    expect(lineDiff(many("a"), many("b"))).toHaveLength(40_000);
  });

  test("of values does not see the order of keys", () => {
    expect(comparableJson({ b: 1, a: { d: 2, c: [3] } })).toBe(comparableJson({ a: { c: [3], d: 2 }, b: 1 }));
  });

  test("of values shows commas, but a comma alone is no difference", () => {
    const lines = jsonDiff(comparableJson({ a: "x,", b: 1 }), comparableJson({ a: "x,", b: 1, c: 2 }));
    expect(lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      "same {",
      'same   "a": "x,",',
      'same   "b": 1,',
      'new   "c": 2',
      "same }",
    ]);
  });

  test("of values breaks texts where they do, and only there", () => {
    expect(comparableJson({ body: "Dear Chidi,\nthank you", path: "C:\\new" }).split("\n")).toEqual([
      "{",
      '  "body": "Dear Chidi,↵',
      '    thank you",',
      '  "path": "C:\\\\new"',
      "}",
    ]);
  });
});

describe("a form from a schema", () => {
  const schema = {
    type: "object",
    required: ["name", "kind"],
    $defs: { kind: { oneOf: [{ const: "one" }, { type: "integer", minimum: 2 }] } },
    properties: {
      name: { type: "string", minLength: 1 },
      kind: { $ref: "#/$defs/kind" },
      tags: { type: "array", items: { enum: ["a", "b"] }, maxItems: 2 },
      loop: { $ref: "#/properties/loop" },
    },
  };

  test("begins with defaults and what is required, and nothing else", () => {
    const limited = {
      type: "object",
      properties: { limit: { type: "integer", default: 20 }, query: { type: "string" } },
    };
    expect(initial(limited, limited)).toEqual({ limit: 20 });
    expect(initial(schema, schema)).toEqual({ name: "", kind: "one" });
  });

  test("names what is wrong by its path", () => {
    const wrong = { name: "", kind: 1, tags: ["a", "x"] };
    expect(faultsIn(wrong, schema, schema)).toEqual({
      name: "Required.",
      kind: 'Must be "one".',
      "tags.1": "Choose one of the options.",
    });
    expect(faultsIn({ name: "x", kind: 5 }, schema, schema)).toEqual({});
    expect(faultsIn({}, schema, schema)).toMatchObject({ name: "Required.", kind: "Required." });
  });

  test("never refuses what the server would take", () => {
    const simple = {
      ...schema,
      properties: { name: schema.properties.name, kind: schema.properties.kind, tags: schema.properties.tags },
    };
    const check = compileSchema(simple);
    fc.assert(
      fc.property(
        fc.record(
          {
            name: fc.string({ maxLength: 3 }),
            kind: fc.oneof(fc.constant("one"), fc.integer({ min: 0, max: 4 })),
            tags: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }),
          },
          { requiredKeys: [] },
        ),
        (value) => {
          const isRight = Object.keys(faultsIn(value, simple, simple)).length === 0;
          expect(isRight).toBe(check(value) === undefined);
        },
      ),
    );
  });

  test.each([
    [null],
    [[]],
    ["x"],
    [{ type: 5 }],
    [{ properties: null, required: "a" }],
    [{ $ref: "#/nowhere/at/all" }],
    [{ oneOf: [null, 3] }],
  ])("survives %j as a schema", (odd) => {
    const root = { type: "object", properties: { it: odd as never } };
    expect(() => [initial(root, root), faultsIn({ it: 1 }, root, root)]).not.toThrow();
  });
});

describe("the values of an input in short", () => {
  test.each([
    [null, ""],
    ["{}", ""],
    ['{"order":"O-4744","amount":99}', "O-4744, 99"],
    ['{"filter":{"status":"open"},"limit":null}', '{"status":"open"}, null'],
    ['"text"', "text"],
    ['{"note":"a \\",\\"b\\": c","to":"ad… (12 more characters)', 'a ","b": c, ad… (12 more characters)'],
  ])("of %s", (json, values) => {
    expect(inputValues(json)).toBe(values);
  });

  test.each([
    ["{}", ""],
    ['{"order":"O-4744","amount":99}', "order: O-4744, amount: 99"],
    ['{"note":"a \\",\\"b\\": c","to":"ad… (12 more characters)', 'note: a ","b": c, to: ad… (12 more characters)'],
  ])("with keys, of %s", (json, pairs) => {
    expect(inputPairs(json)).toBe(pairs);
  });

  test.each([
    [null, ""],
    ['{"order":"O-47","amount":9}', ""],
    ['{"order":"O-4","amount":9,"reason":"Wrong\\nsize"}', "order: O-4, reason: Wrong↵size"],
    ['{"order":"O-47","note":"ad', "order: O-47, note: ad"],
  ])("that the question does not have, of %s", (json, values) => {
    expect(pairsBeyond("Refund 9 € for O-47?", json)).toBe(values);
  });
});

describe("Markdown", () => {
  test("is split into headings, items, code and prose", () => {
    const text =
      "# Rules\nBe kind,\nalways.\n\n- Ask `who`\n  twice\n  1. then act\n```\n# no heading\n```\n[x](javascript:1)";
    expect(isMarkdown(text)).toBe(true);
    expect(markdownBlocks(text).map(({ kind, depth, lines }) => [kind, depth, lines])).toEqual([
      ["heading", 0, ["Rules"]],
      ["prose", 0, ["Be kind,", "always."]],
      ["item", 0, ["• Ask `who`", "twice"]],
      ["item", 1, ["1. then act"]],
      ["code", 0, ["# no heading"]],
      ["prose", 0, ["[x](javascript:1)"]],
    ]);
  });

  test("loses no word of any text", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", " ", "\n", "- ", "# ", "1. ", "b", "<i>", "```"), { maxLength: 60 }),
        (parts) => {
          const text = parts.join("");
          const words = (each: string) => each.replaceAll(/[^ab<i>]/g, "");
          expect(
            words(
              markdownBlocks(text)
                .flatMap(({ lines }) => lines)
                .join(""),
            ),
          ).toBe(words(text));
        },
      ),
    );
  });
});
