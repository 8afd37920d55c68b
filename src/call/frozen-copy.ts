/** A deep, frozen copy of a value for those who may look but not touch. What is not plain data becomes its text. */
export function frozenCopy(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return typeof value === "function" ? value.name : value;
  if (depth > 100) return "…";
  if (Array.isArray(value)) return Object.freeze(value.map((item) => frozenCopy(item, depth + 1)));
  if (value instanceof Date) return new Date(value);
  if (ArrayBuffer.isView(value)) return `<${value.byteLength} bytes>`;
  const entries = Object.entries(value).map(([key, inner]) => [key, frozenCopy(inner, depth + 1)] as const);
  return Object.freeze(Object.fromEntries(entries));
}
