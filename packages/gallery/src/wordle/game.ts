import { compare, score, show } from "./guess.ts";
import type { Guess } from "./guess.ts";

/** A game and its transcript. */
export interface WordleGame {
  readonly secret: string;
  readonly guesses: Guess[];
  /** Each entry starts with its speaker, as in TextArena. Append-only: clients read the new part. */
  log: string;
  /** Consecutive invalid moves; the second ends the game. */
  mistakes: number;
  isOver: boolean;
}

const attempts = 6;

export const ruleText = `You are playing Wordle.
A secret 5-letter word has been chosen. You have ${attempts} attempts to guess it.
Write each guess in square brackets, like [apple]. Every letter of it is then marked:
  - G (green): the letter is in the right place
  - Y (yellow): the letter is in the word, but in another place
  - X (wrong): the letter is not in the word
Make your first guess.
`;

export function newGame(secret: string): WordleGame {
  const game: WordleGame = { secret, guesses: [], log: "", mistakes: 0, isOver: false };
  say(game, "GAME", ruleText);
  return game;
}

/** Plays a message: a word in brackets, or a bare word. */
export function play(game: WordleGame, message: string): void {
  const move = /[[\]]/.test(message) ? message : `[${message}]`;
  say(game, "Player", move.replace(/\[(GAME|Player)\]/g, "$1")); // A player must not forge the speaker tag.
  const word = /\[(\w+)\]/.exec(move)?.[1]?.toLowerCase();
  const mistake = findMistake(game, word);
  if (mistake !== undefined) miss(game, mistake);
  else guess(game, word ?? "");
}

/** The final score: that of the last guess. */
export function finalScore({ guesses }: WordleGame): number {
  return score(guesses.at(-1));
}

/** The guesses with their marks, below the number of those left. */
export function render(game: WordleGame): string {
  const { guesses, isOver } = game;
  if (guesses.length === 0) return "No guesses yet.";
  const board = guesses.map(show).join("\n\n");
  return isOver ? board : `(Guesses left: ${guessesLeft(game)})\n${board}`;
}

function guessesLeft({ guesses }: WordleGame): number {
  return attempts - guesses.length;
}

function findMistake({ guesses }: WordleGame, word: string | undefined): string | undefined {
  if (word === undefined) return "You submitted a word in the wrong format. Please use square brackets.";
  if (word.length !== 5) return "Your word must be exactly 5 letters.";
  if (!/^[a-z]+$/.test(word)) return `'${word}' is not an English word.`;
  return guesses.some((earlier) => earlier.word === word) ? `You have already guessed '${word}'.` : undefined;
}

function miss(game: WordleGame, reason: string): void {
  game.mistakes++;
  if (game.mistakes > 1) return end(game, `The game is over after two invalid moves in a row. Reason: ${reason}`);
  say(game, "GAME", `You attempted an invalid move. Reason: ${reason} Please submit a valid move.`);
}

function guess(game: WordleGame, word: string): void {
  const made = compare(word, game.secret);
  game.guesses.push(made);
  game.mistakes = 0;
  if (word === game.secret) return end(game, "Congratulations! You guessed the word correctly!");
  const left = guessesLeft(game);
  say(game, "GAME", `You submitted [${word}].\nFeedback:\n${show(made)}\nYou have ${left} guesses left.`);
  if (left === 0) end(game, `You have no guesses left. The secret word was: ${game.secret}.`);
}

function end(game: WordleGame, reason: string): void {
  game.isOver = true;
  say(game, "GAME", reason);
}

function say(game: WordleGame, who: "GAME" | "Player", text: string): void {
  game.log += `\n[${who}] ${text}`;
}
