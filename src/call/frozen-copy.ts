/**
 * A deep, frozen copy of a value for those who may look but not touch. What is not plain data becomes its text; what
 * goes round in circles, has no end or cannot be read becomes "…".
 */
export function frozenCopy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return typeof value === "function" ? value.name : value;
  return copy(value, { above: [], left: 10_000 });
}

interface Walk {
  /** The objects that the one being copied is within. */
  readonly above: object[];
  /** How many more may be copied. */
  left: number;
}

function copy(value: unknown, walk: Walk): unknown {
  if (typeof value !== "object" || value === null) return typeof value === "function" ? value.name : value;
  const { above } = walk;
  if (above.length > 100 || walk.left-- <= 0 || above.includes(value)) return "…";
  above.push(value);
  try {
    return copyObject(value, walk);
  } catch {
    return "…";
  } finally {
    above.pop();
  }
}

function copyObject(value: object, walk: Walk): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map((item) => copy(item, walk)));
  if (value instanceof Date) return new Date(value);
  if (ArrayBuffer.isView(value)) return `<${value.byteLength} bytes>`;
  const made: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const inner = copy((value as Record<string, unknown>)[key], walk);
    if (key === "__proto__") Object.defineProperty(made, key, { value: inner, enumerable: true });
    else made[key] = inner;
  }
  return Object.freeze(made);
}
