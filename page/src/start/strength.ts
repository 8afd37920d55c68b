/** A hint while typing. The server checks again, also against common passphrases. */
export interface Strength {
  readonly score: 0 | 1 | 2 | 3 | 4;
  readonly about: string;
  readonly isEnough: boolean;
}

export function strengthOf(passphrase: string, name: string): Strength {
  const characters = Array.from(passphrase);
  const { length } = characters;
  if (length === 0) return { score: 0, about: "Use four or five words.", isEnough: false };
  if (length < fewest) return { score: 1, about: `Use at least ${fewest} characters.`, isEnough: false };
  if (new Set(characters).size < 6) return { score: 1, about: "Too few different characters.", isEnough: false };
  if (name.length >= 3 && passphrase.toLowerCase().replaceAll(name.toLowerCase(), "").length < 8)
    return { score: 1, about: "Too similar to your name.", isEnough: false };
  if (length < 16) return { score: 2, about: "Acceptable. Longer is better.", isEnough: true };
  return length < 24 ? { score: 3, about: "Good.", isEnough: true } : { score: 4, about: "Very good.", isEnough: true };
}

const fewest = 12;
