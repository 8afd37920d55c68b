import type { Check, SchemaFault } from "./schema.ts";

export function fault(message: string): SchemaFault {
  return { path: "", message };
}

/** The same fault, relative to the array or object that holds the value under `key`. */
export function under(key: string | number, inner: SchemaFault): SchemaFault {
  return { path: `/${pointerToken(key)}${inner.path}`, message: inner.message };
}

export function pointerToken(key: string | number): string {
  return typeof key === "number" ? String(key) : key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Combines checks; the first fault wins. */
export function allChecks<T>(checks: readonly Check<T>[]): Check<T> {
  const [first, second] = checks;
  if (first === undefined) return () => undefined;
  if (second === undefined) return first;
  if (checks.length === 2) return (value) => first(value) ?? second(value);
  return (value) => {
    for (const check of checks) {
      const found = check(value);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

export function quoteName(name: string): string {
  return `'${clip(name, 60)}'`;
}

/** For messages. Schemas may contain values that cannot be serialized. */
export function showJson(value: unknown): string {
  try {
    return clip(JSON.stringify(value) ?? "undefined", 80);
  } catch {
    return "a deeply nested value";
  }
}

export function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

export function plural(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}

/** The error for an invalid schema. `path` is a JSON pointer into it. */
export function schemaError(path: string, problem: string): Error {
  return new Error(`Invalid schema at ${path === "" ? "its root" : path}: ${problem}.`);
}
