import { describe, expect, test } from "vitest";
import { columnNumbers, screenTextOf, sideOfStep, sideToMove } from "../../page/src/views/episodes/screen-text.ts";

const cells = (source: string) =>
  screenTextOf(source).rows?.map((row) => row.map((cell) => `${cell.text} ${cell.class}`));
const meanings = (source: string) => screenTextOf(source).legend.map(([, meaning]) => meaning);

const board = [". . X", "O X O", "X O X", "0 1 2"].join("\n");

test("a line in parentheses above a board is its caption", () => {
  const { caption, text } = screenTextOf("  (Right)\nSFFF\nF[H]FH\n");
  expect(caption).toBe("(Right)");
  expect(text).toBe("SFFF\nF\u001B[41mH\u001B[0mFH");
  expect(screenTextOf("(only this)").caption).toBeUndefined();
});

test("a frozen lake has cells and a legend, also with a marked cell", () => {
  for (const text of ["(Right)\nS[F]F\nFHF\nFFG", "(Right)\nS\u001B[41mF\u001B[0mF\nFHF\nFFG"]) {
    expect(screenTextOf(text).caption).toBe("Last move: Right");
    expect(cells(text)?.[0]).toEqual(["S ", "F cell-agent", "F "]);
    expect(meanings(text)).toEqual(["start", "frozen", "hole", "goal", "agent"]);
  }
  expect(meanings("SFF\nFHF\nFFG")).not.toContain("agent");
  for (const text of ["SFF\nFHF", "SF\nFG", "SFX\nFHF\nFFG"]) expect(meanings(text)).toEqual([]);
});

describe("guesses", () => {
  test("have letters in the colours of their marks, and a legend", () => {
    expect(meanings("C R A\nX Y G\n\nM O I\nX X X")).toEqual(["right place", "wrong place", "not in the word"]);
    expect(cells("C R A\nX Y G")).toEqual([
      ["C cell-out", "R cell-toned cell-near tone-warn", "A cell-toned tone-good"],
    ]);
  });

  test("have the number of those left above them", () => {
    expect(screenTextOf("(Guesses left: 5)\nC R A\nX Y G")).toMatchObject({ caption: "Guesses left: 5" });
    expect(cells("(Guesses left: 5)\nC R A\nX Y G")).toHaveLength(1);
  });

  test.each(["A B C\nD E F", "C R A\nX Y", "C R A", board])("are not seen in %j", (text) => {
    expect(meanings(text)).toEqual([]);
  });
});

describe("a board of X and O", () => {
  test("has a colour for each side", () => {
    expect(cells(board)?.[0]).toEqual([
      ". cell-piece cell-empty",
      ". cell-piece cell-empty",
      "X cell-piece cell-toned tone-accent",
    ]);
    expect(cells(board)?.[1]?.[0]).toBe("O cell-piece cell-toned tone-warn");
    expect(cells(board)?.at(-1)).toEqual(["0 cell-label", "1 cell-label", "2 cell-label"]);
  });

  test("says who played a step, if each step put one piece", () => {
    expect(sideOfStep({ text: board, stepCount: 7, step: 1 })).toBe("X");
    expect(sideOfStep({ text: board, stepCount: 7, step: 2 })).toBe("O");
    expect(sideOfStep({ text: board, stepCount: 4, step: 1 })).toBeUndefined();
  });

  test("says who moves next, and which columns it has", () => {
    expect(sideToMove(board)).toBe("O");
    expect(sideToMove(". . .\n. . .\nX O .\n0 1 2")).toBe("X");
    expect(sideToMove("SFFF\nFHFH\nFFFG")).toBeUndefined();
    expect(columnNumbers(board)).toEqual(["0", "1", "2"]);
    expect(columnNumbers("SFFF\nFHFH")).toEqual([]);
  });
});
