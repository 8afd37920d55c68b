import type { JsonObject, Path, Range } from "@biplane/core/internal";
import { configSchema } from "./config-schema.ts";
import type { Schema } from "./schema.ts";
import type { YamlSource } from "./yaml-source.ts";
import { isRecord } from "@biplane/core/internal";

/** Ranges of a file that are never shown, not even in an error message. */
export function hiddenRanges(source: YamlSource, packs: Readonly<Record<string, JsonObject>> = {}): readonly Range[] {
  const ranges: Range[] = [];
  const walk = (value: unknown, schema: Schema, path: Path): void => {
    if (schema.writeOnly) ranges.push(source.rangeOf(path, "value"));
    for (const part of schema.anyOf ?? []) walk(value, part, path);
    if (Array.isArray(value) && schema.items)
      for (const [index, item] of value.entries()) walk(item, schema.items, [...path, index]);
    if (!isRecord(value)) return;
    for (const [key, item] of Object.entries(value)) {
      const { properties = {}, additionalProperties } = schema;
      const below = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
      if (typeof below === "object") walk(item, below, [...path, key]);
    }
  };
  const schema: Schema = {
    properties: { ...configSchema.properties, packs: { properties: packs } },
  };
  walk(source.value, schema, []);
  return ranges;
}

/** The same for a file that cannot be parsed: hides everything after a key that looks like a secret. */
export function suspectRanges(text: string): readonly Range[] {
  const suspects = text.matchAll(/(?:token|secret|password|authorization|key)\w*["']?[ \t]*:[ \t]*([^\r\n]+)/gi);
  return [...suspects].map(({ index, 0: whole, 1: value = "" }): Range => [
    index + whole.length - value.length,
    index + whole.length,
  ]);
}
