/** A word as it can be copied into a shell of the Bourne family: in quotes where it needs them. */
export function shellWord(text: string): string {
  return /^[\w.,:/@+-]+$/.test(text) ? text : quotedWord(text);
}

export function quotedWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
