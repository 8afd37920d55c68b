/**
 * A deep, frozen copy for observers. Functions and binary data become text. Cycles, unreadable values and anything
 * beyond the size limits become "…".
 */
export function frozenCopy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return typeof value === "function" ? value.name : value;
  return copy(value, { above: [], left: 10_000 });
}

/** A caller's claims or identity, frozen. Skips the copy if they already are, as the wire protocols pass them. */
export function frozenClaims<T extends object>(claims: T, inner: object): T {
  return Object.isFrozen(claims) && Object.isFrozen(inner) ? claims : (frozenCopy(claims) as T);
}

interface Walk {
  /** The ancestors of the object being copied, to detect cycles. */
  readonly above: object[];
  /** How many more items and members may be copied. */
  left: number;
}

function copy(value: unknown, walk: Walk): unknown {
  if (typeof value !== "object" || value === null) return typeof value === "function" ? value.name : value;
  const { above } = walk;
  if (above.length > 100 || above.includes(value)) return "…";
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
  if (Array.isArray(value)) return copyList(value, walk);
  if (value instanceof Date) return new Date(value);
  if (ArrayBuffer.isView(value)) return `<${value.byteLength} bytes>`;
  const made: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (walk.left-- <= 0) {
      made["…"] = "…";
      break;
    }
    const inner = copy((value as Record<string, unknown>)[key], walk);
    if (key === "__proto__") Object.defineProperty(made, key, { value: inner, enumerable: true });
    else made[key] = inner;
  }
  return Object.freeze(made);
}

function copyList(list: readonly unknown[], walk: Walk): readonly unknown[] {
  const made: unknown[] = [];
  for (const item of list) {
    if (walk.left-- <= 0) {
      made.push("…");
      break;
    }
    made.push(copy(item, walk));
  }
  return Object.freeze(made);
}
