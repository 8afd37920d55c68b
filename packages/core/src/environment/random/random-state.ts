import { Pcg64, type Words } from "./pcg64.ts";
import { showValue } from "../../call/rules/show-value.ts";

/** The state of a generator as plain JSON; 128-bit numbers have 32 hexadecimal digits. */
export type RandomState = {
  generator: "pcg64";
  state: string;
  increment: string;
  /** The unused half of a 64-bit draw, for the next 32-bit draw. */
  half: number | null;
};

export function saveState(bits: Pcg64): RandomState {
  return { generator: "pcg64", state: toHex(bits.state), increment: toHex(bits.increment), half: bits.half };
}

/** Validates, because a saved state may come from a store or another machine. */
export function loadState(saved: RandomState): Pcg64 {
  if (typeof saved !== "object" || saved === null) throw badState(saved);
  const { generator, state, increment, half } = saved;
  const isHalf = half === null || (Number.isInteger(half) && half >= 0 && half <= 0xffffffff);
  if (generator !== "pcg64" || !isHalf) throw badState(saved);
  const words = { state: fromHex(state), increment: fromHex(increment) };
  const isOdd = words.increment !== undefined && words.increment[0] % 2 === 1;
  if (!words.state || !words.increment || !isOdd) throw badState(saved);
  return new Pcg64(words.state, words.increment, half);
}

function toHex(words: Words): string {
  return wordToHex(words[3]) + wordToHex(words[2]) + wordToHex(words[1]) + wordToHex(words[0]);
}

function wordToHex(word: number): string {
  return word.toString(16).padStart(8, "0");
}

function fromHex(digits: unknown): Words | undefined {
  if (typeof digits !== "string" || !/^[0-9a-f]{32}$/.test(digits)) return undefined;
  const wordAt = (from: number) => Number.parseInt(digits.slice(from, from + 8), 16);
  return [wordAt(24), wordAt(16), wordAt(8), wordAt(0)];
}

function badState(saved: unknown): RangeError {
  return new RangeError(`Not the saved state of a random generator: ${showValue(saved)}.`);
}
