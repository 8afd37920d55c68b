import { BiplaneError } from "@biplane/core";

/** Rejects passphrases that are easy to guess. Length counts; character classes do not. */
export function checkStrength(passphrase: string, name: string): void {
  const weakness = weaknessOf(passphrase, name);
  if (weakness !== undefined) throw new BiplaneError("INVALID_INPUT", `The passphrase ${weakness}.`);
}

function weaknessOf(passphrase: string, name: string): string | undefined {
  const characters = Array.from(passphrase);
  if (characters.length < minLength)
    return `must have at least ${minLength} characters. Four or five random words are a good choice`;
  if (new Set(characters).size < 6) return "repeats the same few characters";
  if (isSequence(characters)) return "is a sequence such as abcdef or 123456";
  const lower = passphrase.toLowerCase();
  if (name.length >= 3 && Array.from(lower.replaceAll(name.toLowerCase(), "")).length < 8)
    return "consists mostly of the account name";
  const left = commonWords.reduce((rest, word) => rest.replaceAll(word, ""), lower);
  return Array.from(left).length < 6 ? "consists of commonly used words" : undefined;
}

const minLength = 12;

const commonWords = [
  ..."administrator qwertyuiop asdfghjkl 1234567890 passphrase password passwort iloveyou changeme".split(" "),
  ..."welcome letmein biplane 123456 zxcvbnm qwerty azerty qwertz secret dragon monkey master admin 1234".split(" "),
];

/** True if three quarters of adjacent characters differ by at most one. */
function isSequence(characters: readonly string[]): boolean {
  let steps = 0;
  for (let at = 1; at < characters.length; at++) {
    const difference = (characters[at]?.codePointAt(0) ?? 0) - (characters[at - 1]?.codePointAt(0) ?? 0);
    if (Math.abs(difference) <= 1) steps++;
  }
  return steps >= (characters.length - 1) * 0.75;
}
