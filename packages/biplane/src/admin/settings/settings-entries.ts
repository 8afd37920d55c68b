import { showPath } from "@biplane/core/internal";
import type { JsonObject, Path } from "@biplane/core/internal";
import { configSchema } from "../../config/config-schema.ts";
import type { ConfigSource, Origin, ResolvedConfig } from "../../config/resolve-config.ts";
import type { Schema } from "../../config/schema.ts";
import type { SettingsBody } from "./settings-api.ts";

/** Every config key with its effective value, without anything that could be a secret. */
export function settingsEntries(
  { config, source }: ResolvedConfig,
  packs: Readonly<Record<string, JsonObject>> = {},
): SettingsBody["entries"] {
  const schema: Schema = { properties: { ...configSchema.properties, packs: { properties: packs } } };
  const entries: SettingsBody["entries"][number][] = [];
  const walk = (value: unknown, each: Schema, path: Path): void => {
    // One row per pack or mounted server, and one per plain value.
    const keys = keysBelow(value, each, path);
    if (path.length > 0 && keys.length === 0) {
      const origin = shownOrigin(source.originOf(path));
      const isDefault = origin.kind === "default";
      entries.push({
        key: showPath(path),
        value: shownValue(value ?? null, each, { path, source }),
        isDefault,
        origin,
      });
    }
    for (const key of keys) walk(fieldOf(value, key), schemaAt(each, key) ?? {}, [...path, key]);
  };
  walk(config, schema, []);
  return entries;
}

function shownOrigin(origin: Origin): SettingsBody["entries"][number]["origin"] {
  if (origin.kind === "file") return { kind: "file", line: origin.line };
  return origin.kind === "default" ? { kind: "default" } : { kind: origin.kind, name: origin.name };
}

function keysBelow(value: unknown, { properties = {}, additionalProperties }: Schema, path: Path): string[] {
  if (path[0] === "packs") return path.length === 1 ? Object.keys(recordOf(value)) : [];
  if (path[0] === "mcpServers" && path.length > 1) return [];
  return typeof additionalProperties === "object" ? Object.keys(recordOf(value)) : Object.keys(properties);
}

interface ValueContext {
  readonly path: Path;
  readonly source: ConfigSource;
}

/** Errs on hiding: values from references, and values of keys that look like secrets, are not shown. */
function shownValue(value: unknown, schema: Schema | undefined, at: ValueContext): unknown {
  const { path, source } = at;
  const isSecret =
    schema?.writeOnly === true ||
    source.isReferred(path) ||
    source.secretsUsed.some((use) => showPath(use.path) === showPath(path));
  if (isSecret) return hidden;
  if (typeof value === "string") return suspect.test(String(path.at(-1))) ? hidden : withoutCredentials(value);
  if (Array.isArray(value)) {
    // Arguments may contain tokens.
    if (path[0] === "mcpServers" && path.at(-1) === "args") return `${value.length} arguments ${hidden}`;
    return value.map((item, index) => shownValue(item, schema?.items, { ...at, path: [...path, index] }));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      shownValue(item, schemaAt(schema, key), { ...at, path: [...path, key] }),
    ]),
  );
}

const hidden = "(hidden)";
const suspect = /token|secret|pass(word|phrase)|authorization|credential|key|hash/i;

function withoutCredentials(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  const plain = text.replace(/\/\/[^/?#]*@/, `//${hidden}@`).replace(/\/k\/[^/?#]+/, `/k/${hidden}`);
  return plain.replace(/[?#].*$/s, (rest) => `${rest[0] ?? ""}${hidden}`);
}

function schemaAt(schema: Schema | undefined, key: string): Schema | undefined {
  const { properties = {}, additionalProperties, anyOf = [] } = schema ?? {};
  if (Object.hasOwn(properties, key)) return properties[key];
  if (typeof additionalProperties === "object") return additionalProperties;
  return anyOf.map((part) => schemaAt(part, key)).find((part) => part !== undefined);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function fieldOf(value: unknown, key: string): unknown {
  const record = recordOf(value);
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
