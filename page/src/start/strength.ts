/** A hint while typing. The server has the last word, and a longer list of what everybody tries first. */
export interface Strength {
  readonly score: 0 | 1 | 2 | 3 | 4;
  readonly about: string;
  readonly isEnough: boolean;
}

export function strengthOf(passphrase: string, name: string): Strength {
  const characters = Array.from(passphrase);
  const { length } = characters;
  if (length === 0) return { score: 0, about: "Four or five words are a good one", isEnough: false };
  if (length < fewest) return { score: 1, about: `${fewest - length} more characters, at least`, isEnough: false };
  if (new Set(characters).size < 6) return { score: 1, about: "It repeats the same few characters", isEnough: false };
  if (name.length >= 3 && passphrase.toLowerCase().replaceAll(name.toLowerCase(), "").length < 8)
    return { score: 1, about: "It is mostly your name", isEnough: false };
  if (length < 16) return { score: 2, about: "Enough; longer is better", isEnough: true };
  return length < 24 ? { score: 3, about: "Good", isEnough: true } : { score: 4, about: "Very good", isEnough: true };
}

const fewest = 12;
