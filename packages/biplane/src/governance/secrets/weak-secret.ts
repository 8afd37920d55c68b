/**
 * Why a secret or token can be guessed, as the end of a sentence about it; undefined if it is strong. Redaction shows
 * the caller of a right guess that it is right, and replaces a common word everywhere. Contains no part of the value.
 */
export function weakSecret(value: string): string | undefined {
  const characters = Array.from(value);
  if (characters.length < minStrongLength)
    return `has ${characters.length} characters, which can be guessed. Use at least ${minStrongLength} random ones`;
  const distinct = new Set(characters).size;
  if (distinct < minDistinct) return `has only ${distinct} different characters. Use a random value`;
  return undefined;
}

export const minStrongLength = 16;
const minDistinct = 6;
