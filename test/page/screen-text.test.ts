import { describe, expect, test } from "vitest";
import { drawnPieces } from "../../page/src/views/episodes/ansi.ts";
import { columnNumbers, screenTextOf, sideToMove } from "../../page/src/views/episodes/screen-text.ts";

const coloured = (source: string) =>
  drawnPieces(screenTextOf(source).text)
    .filter((piece) => piece.class !== "")
    .map((piece) => `${piece.text} ${piece.class}`);

const board = [". . X", "O X O", "X O X", "0 1 2"].join("\n");

test("a line in parentheses above a board is its caption", () => {
  const { caption, text } = screenTextOf("  (Right)\nSFFF\nF[H]FH\n");
  expect(caption).toBe("(Right)");
  expect(text).toBe("SFFF\nF\u001B[41mH\u001B[0mFH");
  expect(screenTextOf("(only this)").caption).toBeUndefined();
});

test("a frozen lake has a legend, also with a marked cell", () => {
  for (const text of ["SFF\nFHF\nFFG", "(Right)\nS[F]F\nFHF\nFFG", "SFF\nF\u001B[41mH\u001B[0mF\nFFG"])
    expect(screenTextOf(text).legend).toContain("H hole");
  expect(screenTextOf("(Right)\nS[F]F\nFHF\nFFG").legend).toContain("boxed the agent, (Right) its last move");
  expect(screenTextOf("SFF\nFHF\nFFG").legend).not.toContain("boxed");
  for (const text of ["SFF\nFHF", "SF\nFG", "SFX\nFHF\nFFG"]) expect(screenTextOf(text).legend).toBeUndefined();
});

describe("guesses", () => {
  test("have letters in the colours of their marks, and a legend", () => {
    const { legend } = screenTextOf("C R A\nX Y G\n\nM O I\nX X X");
    expect(legend).toContain("Y wrong place");
    expect(coloured("C R A\nX Y G")).toEqual([
      "C screen-back tone-plain",
      "R screen-back tone-warn",
      "A screen-back tone-good",
      "X Y G screen-front tone-plain",
    ]);
  });

  test.each(["A B C\nD E F", "C R A\nX Y", "C R A", board])("are not seen in %j", (text) => {
    expect(screenTextOf(text).legend).toBeUndefined();
  });
});

describe("a board of X and O", () => {
  test("has a colour for each side", () => {
    expect(new Set(coloured(board))).toEqual(
      new Set(["X screen-front tone-accent strong", "O screen-front tone-warn strong"]),
    );
  });

  test("says who moves next, and which columns it has", () => {
    expect(sideToMove(board)).toBe("O");
    expect(sideToMove(". . .\n. . .\nX O .\n0 1 2")).toBe("X");
    expect(sideToMove("SFFF\nFHFH\nFFFG")).toBeUndefined();
    expect(columnNumbers(board)).toEqual(["0", "1", "2"]);
    expect(columnNumbers("SFFF\nFHFH")).toEqual([]);
  });
});
