import { BiplaneError } from "../../errors.ts";
import type { Finder } from "./finder.ts";
import { replaceSpans } from "./spans.ts";

/** Returns the value itself if it contains no secret, else a redacted copy. */
export function deepRedact<T>(value: T, finder: Finder): T {
  return holdsSecret(value, finder) ? (redactedCopy(value, finder) as T) : value;
}

/** Iterative, so depth is unlimited. Most values need no `seen` set. */
function holdsSecret(value: unknown, finder: Finder): boolean {
  const waiting: object[] = [];
  const check = (inner: unknown): boolean => {
    if (typeof inner === "string") return finder.has(inner);
    if (typeof inner === "object" && inner !== null) waiting.push(inner);
    return isNumber(inner) && finder.findsNumbers && finder.has(String(inner));
  };
  if (check(value)) return true;
  let seen: Set<object> | undefined;
  let count = 0;
  for (let object = waiting.pop(); object; object = waiting.pop()) {
    // Below this size, visiting shared objects twice is cheaper than remembering all.
    if (++count > 1000) {
      if (count > maxObjects)
        throw new BiplaneError("EXECUTION_ERROR", `A value with more than ${maxObjects} objects cannot be redacted.`);
      seen ??= new Set();
      if (seen.has(object)) continue;
      seen.add(object);
    }
    if (someInside(shownInstead(object), check)) return true;
  }
  return false;
}

const maxObjects = 5_000_000;

/** Creates each copy empty and fills it later, which handles cycles and any depth. */
function redactedCopy(value: unknown, finder: Finder): unknown {
  const copies = new Map<object, object>();
  const waiting: { from: object; to: object }[] = [];
  const clean = (text: string): string => replaceSpans(text, finder.spans(text));
  const copyOf = (inner: unknown): unknown => {
    if (typeof inner === "string") return clean(inner);
    if (isNumber(inner) && finder.findsNumbers && finder.has(String(inner))) return clean(String(inner));
    if (typeof inner !== "object" || inner === null) return inner;
    const known = copies.get(inner);
    if (known) return known;
    if (!isPlain(inner) && !holdsSecret(inner, finder)) return inner;
    const from = shownInstead(inner);
    if (typeof from !== "object" || from === null) return copyOf(from);
    const to = emptyLike(from);
    copies.set(inner, to);
    waiting.push({ from, to });
    return to;
  };
  const copy = copyOf(value);
  for (let next = waiting.pop(); next; next = waiting.pop()) fill(next.from, { to: next.to, copyOf, clean });
  return copy;
}

/** Objects with `toJSON`, such as URLs, are searched in their JSON form. */
function shownInstead(object: object): unknown {
  return "toJSON" in object && typeof object.toJSON === "function" ? object.toJSON() : object;
}

function someInside(shown: unknown, check: (inner: unknown) => boolean): boolean {
  if (typeof shown !== "object" || shown === null) return check(shown);
  if (Array.isArray(shown) || shown instanceof Set) {
    for (const item of shown) if (check(item)) return true;
    return false;
  }
  if (ArrayBuffer.isView(shown)) return false;
  if (shown instanceof Map) {
    for (const [key, item] of shown) if (check(key) || check(item)) return true;
    return false;
  }
  if (shown instanceof Error && [shown.message, shown.stack, shown.cause].some(check)) return true;
  for (const key in shown) if (check(key) || check((shown as Record<string, unknown>)[key])) return true;
  return false;
}

/** Other objects are copied only if they contain a secret. */
function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}

function emptyLike(object: object): object {
  if (Array.isArray(object)) return [];
  if (object instanceof Map) return new Map();
  if (object instanceof Set) return new Set();
  const prototype = Object.getPrototypeOf(object) as object | null;
  return object instanceof Error ? Object.setPrototypeOf(new Error(), prototype) : Object.create(prototype);
}

interface Filling {
  readonly to: object;
  readonly copyOf: (inner: unknown) => unknown;
  readonly clean: (text: string) => string;
}

function fill(from: object, { to, copyOf, clean }: Filling): void {
  if (Array.isArray(to)) for (const item of from as unknown[]) to.push(copyOf(item));
  else if (to instanceof Map) for (const [key, item] of from as typeof to) to.set(copyOf(key), copyOf(item));
  else if (to instanceof Set) for (const item of from as typeof to) to.add(copyOf(item));
  else {
    for (const key of Reflect.ownKeys(from)) {
      const value = copyOf((from as Record<PropertyKey, unknown>)[key]);
      const enumerable = Object.prototype.propertyIsEnumerable.call(from, key);
      const name = typeof key === "string" ? freeName(to, clean(key)) : key;
      Object.defineProperty(to, name, { value, enumerable, writable: true, configurable: true });
    }
  }
}

/** Two keys may become equal by redaction: number the second. An error's own `stack` is overwritten instead. */
function freeName(object: object, name: string): string {
  if (object instanceof Error || !Object.hasOwn(object, name)) return name;
  let number = 2;
  while (Object.hasOwn(object, `${name} (${number})`)) number++;
  return `${name} (${number})`;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}
