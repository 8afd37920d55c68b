/** Text that both engines keep unchanged: without NUL, and with replacements for lone surrogates. */
export function storable(text: string): string {
  return text.replaceAll("\0", "\uFFFD").replaceAll(/\p{Surrogate}/gu, "\uFFFD");
}
