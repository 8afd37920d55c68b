import { describe, expect, test } from "vitest";
import { drawnPieces, withMarkedCells } from "../../page/src/views/episodes/ansi.ts";

const drawn = (text: string) => drawnPieces(withMarkedCells(text)).map(({ text: part, class: kind }) => [part, kind]);

describe("a cell in brackets", () => {
  test("of a board is marked, so that the cells after it stay in their columns", () => {
    expect(drawn("  (Right)\nSFFF\nF[H]FH\nFFFH")).toEqual([
      ["  (Right)\nSFFF\nF", ""],
      ["H", "screen-back tone-bad"],
      ["FH\nFFFH", ""],
    ]);
  });

  test.each([
    ["prose", "Write a guess, like [a].\nYou have 6 attempts."],
    ["one line", "F[F]FH"],
    ["rows of different lengths", "F[F]FH\nFF"],
    ["longer words", "[ok] a\n[no] b"],
    ["text with colours", "\u001B[31mF\u001B[0m[F]\nFF"],
  ])("of %s stays as it is", (_, text) => {
    expect(withMarkedCells(text)).toBe(text);
  });
});
