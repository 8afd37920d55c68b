/** A value from elsewhere in the middle of a sentence, whatever it is: servers do not always send what they should. */
export function wordOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "" : JSON.stringify(value);
}
