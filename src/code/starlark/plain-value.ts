/** A Starlark value as plain data: what JSON has no word for becomes what comes nearest. */
export function plainValue(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "function") return `<function ${value.name}>`;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value) || value instanceof Set) return Array.from(value as Iterable<unknown>, plainValue);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("latin1");
  if (value instanceof Map) {
    const entries = Array.from(value, ([key, each]) => [plainValue(key), plainValue(each)] as const);
    return Object.fromEntries(
      entries.map(([key, each]) => [typeof key === "string" ? key : JSON.stringify(key), each]),
    );
  }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plainValue(each)]));
}
