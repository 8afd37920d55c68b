import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StarlarkError } from "../../../packages/starlark/src/errors.ts";
import { parse } from "../../../packages/starlark/src/syntax/parser.ts";
import { Source } from "../../../packages/starlark/src/syntax/source.ts";

describe("the parser", () => {
  it("accepts or refuses any text, and never breaks", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), (text) => {
        expect(outcome(text)).toMatch(/^(parsed|refused)$/);
      }),
    );
  });

  it("accepts or refuses any sequence of tokens", () => {
    const words =
      "def f ( ) : if else elif for in while not and or lambda return pass break load [ ] { } , = == += * ** + - . ; 1 2.5";
    const token = fc.oneof(
      fc.constantFrom(...words.split(" ")),
      fc.constantFrom('"s"', "b'x'", "x", "y", "\n", "\n  ", "\n    ", "# c\n", "\\\n"),
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 60 }), (tokens) => {
        expect(outcome(tokens.join(" "))).toMatch(/^(parsed|refused)$/);
      }),
      { numRuns: 500 },
    );
  });

  it("points at a column counted in characters", () => {
    const error = refusal('x = "😀é" + ?');
    expect(error?.location).toEqual({ file: "t.star", line: 1, column: 12 });
  });

  it("treats every kind of line ending as a newline", () => {
    expect(parse(new Source("t.star", "a = 1\r\nb = 2\rc = 3\n"))).toHaveLength(3);
  });
});

function outcome(text: string): string {
  return refusal(text) ? "refused" : "parsed";
}

function refusal(text: string): StarlarkError | undefined {
  try {
    parse(new Source("t.star", text));
    return undefined;
  } catch (error) {
    if (error instanceof StarlarkError && error.code === "syntax") return error;
    throw error;
  }
}
