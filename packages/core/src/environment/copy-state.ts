/** A working copy of the state. Anything but plain data takes the slower `structuredClone`. */
export function copyState<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyState) as T;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return structuredClone(value);
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const inner = copyState((value as Record<string, unknown>)[key]);
    if (key === "__proto__")
      Object.defineProperty(copy, key, { value: inner, enumerable: true, writable: true, configurable: true });
    else copy[key] = inner;
  }
  return copy as T;
}
