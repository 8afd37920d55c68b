/** Decodes `%20` and the like. Undefined if the text is not encoded that way. */
export function decodeUri(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
