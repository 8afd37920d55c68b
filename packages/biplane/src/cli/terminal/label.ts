/** An untrusted value as text. Servers do not always send the type that the protocol requires. */
export function label(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "" : JSON.stringify(value);
}
