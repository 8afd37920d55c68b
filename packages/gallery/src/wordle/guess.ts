/** A guess with a mark per letter: G (right position), Y (elsewhere in the word) or X (not in the word). */
export interface Guess {
  readonly word: string;
  readonly marks: readonly Mark[];
}

type Mark = "G" | "Y" | "X";

/** Marks greens first. Each remaining letter of the secret gives at most one yellow, from the left. */
export function compare(word: string, secret: string): Guess {
  const isGreen = (at: number) => word[at] === secret[at];
  const left = secret.split("").filter((_, at) => !isGreen(at));
  const marks = word.split("").map((letter, at): Mark => {
    if (isGreen(at)) return "G";
    const found = left.indexOf(letter);
    if (found === -1) return "X";
    left.splice(found, 1);
    return "Y";
  });
  return { word, marks };
}

/** Greens count 1, yellows 0.5, divided by the length. */
export function score(guess: Guess | undefined): number {
  const worth = { G: 1, Y: 0.5, X: 0 };
  return guess ? guess.marks.reduce((sum, mark) => sum + worth[mark], 0) / guess.marks.length : 0;
}

export function show({ word, marks }: Guess): string {
  return `${word.toUpperCase().split("").join(" ")}\n${marks.join(" ")}`;
}
