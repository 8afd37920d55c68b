import { BiplaneError } from "../../errors.ts";

/** Refuses a passphrase that is guessed among the first. Length is what counts; kinds of characters do not. */
export function checkStrength(passphrase: string, name: string): void {
  const weakness = weaknessOf(passphrase, name);
  if (weakness !== undefined) throw new BiplaneError("INVALID_INPUT", `The passphrase ${weakness}`);
}

function weaknessOf(passphrase: string, name: string): string | undefined {
  const characters = Array.from(passphrase);
  if (characters.length < fewest) return `must have at least ${fewest} characters; four or five words are a good one`;
  if (new Set(characters).size < 6) return "repeats the same few characters";
  if (isRun(characters)) return "goes along the alphabet or the digits";
  const lower = passphrase.toLowerCase();
  if (name.length >= 3 && Array.from(lower.replaceAll(name.toLowerCase(), "")).length < 8) return "is mostly the name";
  const left = commonWords.reduce((rest, word) => rest.replaceAll(word, ""), lower);
  return Array.from(left).length < 6 ? "is made of what everybody tries first" : undefined;
}

const fewest = 12;

const commonWords = [
  "administrator",
  "qwertyuiop",
  "asdfghjkl",
  "1234567890",
  "passphrase",
  "password",
  "passwort",
  "iloveyou",
  "changeme",
  "welcome",
  "letmein",
  "biplane",
  "123456",
  "zxcvbnm",
  "qwerty",
  "azerty",
  "qwertz",
  "secret",
  "dragon",
  "monkey",
  "master",
  "admin",
  "1234",
];

/** Three neighbours in four differ by one or not at all. */
function isRun(characters: readonly string[]): boolean {
  let steps = 0;
  for (let at = 1; at < characters.length; at++) {
    const difference = (characters[at]?.codePointAt(0) ?? 0) - (characters[at - 1]?.codePointAt(0) ?? 0);
    if (Math.abs(difference) <= 1) steps++;
  }
  return steps >= (characters.length - 1) * 0.75;
}
