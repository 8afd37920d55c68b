import { isRecord } from "@biplane/core/internal";

/**
 * Arguments in a form in which small differences of spelling vanish: letter case, surrounding and repeated white space,
 * the order of keys, numbers and truth values written as text, and keys that are empty or have the schema's default.
 */
export function normaliseArguments(input: unknown, schema: unknown = {}): unknown {
  const defaults = isRecord(schema) && isRecord(schema["properties"]) ? schema["properties"] : {};
  if (!isRecord(input)) return normalise(input);
  const entries = Object.entries(input).flatMap(([key, value]) => {
    const normal = normalise(value);
    const property = Object.hasOwn(defaults, key) ? defaults[key] : undefined;
    const isDefault = isRecord(property) && "default" in property && sameJson(normal, normalise(property["default"]));
    return normal === undefined || isDefault ? [] : [[key, normal] as const];
  });
  return Object.fromEntries(entries);
}

function normalise(value: unknown): unknown {
  if (typeof value === "string") return normaliseText(value);
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(normalise);
  if (!isRecord(value)) return value ?? undefined;
  const entries = Object.entries(value).map(([key, inner]) => [key, normalise(inner)] as const);
  const kept = entries.filter(([, inner]) => inner !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function normaliseText(text: string): unknown {
  const normal = text.trim().replaceAll(/\s+/g, " ").toLowerCase();
  if (normal === "") return undefined;
  if (normal === "true" || normal === "false") return normal === "true";
  // Only what reads back as the same text: not `007`, `1e3` or a long id.
  return /^-?\d{1,15}(\.\d{1,10})?$/.test(normal) && String(Number(normal)) === normal ? Number(normal) : normal;
}

function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** True if two answers are the same apart from case, white space and the final full stop. */
export function sameAnswer(one: string, other: string): boolean {
  const normal = (text: string) => String(normaliseText(text.trim().replace(/\.$/, "")));
  return normal(one) === normal(other);
}
