import { isRecord } from "@biplane/core/internal";
import type { Path } from "@biplane/core/internal";
import { configSchema } from "./config-schema.ts";
import type { Schema } from "./schema.ts";
import type { YamlSource } from "./yaml-source.ts";

/** Reads old keys under their current names, so that older config files keep working. */
export function withCurrentKeys(source: YamlSource): YamlSource {
  const formerPaths = new Map<string, Path>();
  const rename = (value: unknown, { properties = {} }: Schema, path: Path): unknown => {
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).map(([written, item]): [string, unknown] => {
      const [key, schema] = currentKey(written, properties);
      // If both names are there, the old one is left for the check to report.
      const name = Object.hasOwn(value, key) ? written : key;
      if (name !== written) formerPaths.set(JSON.stringify([...path, name]), [...path, written]);
      return [name, rename(item, schema, [...path, name])];
    });
    return Object.fromEntries(entries);
  };
  const value = rename(source.value, configSchema, []);
  const rangeOf: YamlSource["rangeOf"] = (path, at) =>
    source.rangeOf(formerPaths.get(JSON.stringify(path)) ?? path, at);
  return { ...source, value, rangeOf };
}

function currentKey(written: string, properties: Readonly<Record<string, Schema>>): readonly [string, Schema] {
  if (Object.hasOwn(properties, written)) return [written, properties[written] ?? {}];
  return Object.entries(properties).find(([, { former }]) => former?.key === written) ?? [written, {}];
}
