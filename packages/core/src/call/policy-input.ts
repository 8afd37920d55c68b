/**
 * Gives each policy an input that it cannot use to change what runs, or what the next policy sees. Plain data is copied
 * and frozen once for all of them. An input with dates, maps or sets, which cannot be frozen, is copied for each.
 */
export function policyInputs(input: unknown): () => unknown {
  const walk: Walk = { isFrozen: true };
  const first = copyOf(input, walk);
  return walk.isFrozen ? () => first : () => copyOf(input, walk);
}

interface Walk {
  isFrozen: boolean;
}

function copyOf(value: unknown, walk: Walk): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((item) => copyOf(item, walk)));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return frozenRecord(value as Record<string, unknown>, walk);
  walk.isFrozen = false;
  if (value instanceof Date) return new Date(value);
  if (value instanceof Map) return new Map(Array.from(value, ([key, item]) => [copyOf(key, walk), copyOf(item, walk)]));
  if (value instanceof Set) return new Set(Array.from(value, (item) => copyOf(item, walk)));
  return value; // Only its author knows how to copy an instance of another class.
}

function frozenRecord(value: Record<string, unknown>, walk: Walk): object {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item = copyOf(value[key], walk);
    // Assigning to `__proto__` would set the prototype.
    if (key === "__proto__") Object.defineProperty(copy, key, { value: item, enumerable: true });
    else copy[key] = item;
  }
  return Object.freeze(copy);
}
