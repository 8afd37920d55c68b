/** Text as one argument of a POSIX shell, quoted only if needed. */
export function shellArgument(text: string): string {
  return /^[\w.,:/@+-]+$/.test(text) ? text : shellQuote(text);
}

/** Text in single quotes for a POSIX shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
