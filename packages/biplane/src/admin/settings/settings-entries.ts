import { isRecord, showPath } from "@biplane/core/internal";
import type { JsonObject, Path } from "@biplane/core/internal";
import { configSchema } from "../../config/config-schema.ts";
import type { ConfigSource, ResolvedConfig } from "../../config/resolve-config.ts";
import type { Schema } from "../../config/schema.ts";
import { aboutSetting } from "./about-setting.ts";
import type { SettingsBody } from "./settings-api.ts";

/** Values in force that a config leaves open or does not say exactly, by key: `{ "http.fastLane": true }`. */
export type InForce = Readonly<Record<string, unknown>>;

export interface SettingsOptions {
  /** Options of each pack, as JSON Schema. */
  readonly packs?: Readonly<Record<string, JsonObject>> | undefined;
  readonly inForce?: InForce | undefined;
}

/** Every setting with the value in force and where it was set, without anything that could be a secret. */
export function settingsEntries(
  { config, source }: ResolvedConfig,
  { packs = {}, inForce = {} }: SettingsOptions = {},
): SettingsBody["entries"] {
  const schema: Schema = {
    properties: { ...configSchema.properties, packs: { ...configSchema.properties.packs, properties: packs } },
  };
  const entries: SettingsBody["entries"][number][] = [];
  const walk = (value: unknown, each: Schema, { path, group }: { path: Path; group?: Schema }): void => {
    const key = path.length === 0 ? "" : showPath(path);
    const members = membersOf(value, each, { path, hasInForce: keysBelow(inForce, key) });
    if (members) {
      for (const name of members)
        walk(fieldOf(value, name), schemaAt(each, name) ?? {}, { path: [...path, name], group: each });
      return;
    }
    const shown = (given: unknown) => shownValue(given ?? null, each, { path, source });
    const used = Object.hasOwn(inForce, key) ? inForce[key] : value;
    const origin = shownOrigin(source, path);
    const isOther = value !== undefined && JSON.stringify(used) !== JSON.stringify(value) && origin.kind !== "default";
    const about = aboutSetting(each, path.length > 2 ? group : undefined);
    entries.push({
      key,
      ...(about !== "" && { about }),
      value: shown(used),
      ...(isOther && { written: shown(value) }),
      isDefault: origin.kind === "default",
      origin,
    });
  };
  walk(config, schema, { path: [] });
  return entries;
}

function keysBelow(inForce: InForce, key: string): boolean {
  return Object.keys(inForce).some((each) => each.startsWith(`${key}.`));
}

function shownOrigin(source: ConfigSource, path: Path): SettingsBody["entries"][number]["origin"] {
  const origin = source.originOf(path);
  if (origin.kind === "default") return { kind: "default" };
  if (origin.kind !== "file") return { kind: origin.kind, name: origin.name };
  const references = source.referencesIn(path);
  return { kind: "file", line: origin.line, ...(references.length > 0 && { references: [...references] }) };
}

/** The names below a value, one row each. Undefined for a plain value, a list, and a group that is not there. */
function membersOf(
  value: unknown,
  schema: Schema,
  { path, hasInForce }: { readonly path: Path; readonly hasInForce: boolean },
): readonly string[] | undefined {
  if (value === undefined ? !hasInForce && path.length > 0 : !isRecord(value)) return undefined;
  const group = groupIn(schema);
  if (!group) return undefined;
  const own = Object.keys(recordOf(value));
  // Packs and mounted servers have many options, so that only those with a value are shown.
  const isOwnOnly = path[0] === "packs" || path[0] === "mcpServers";
  const names = isOwnOnly ? own : [...new Set([...Object.keys(group.properties ?? {}), ...own])];
  return names.length > 0 ? names : undefined;
}

/** The alternative of a schema that has keys. */
function groupIn(schema: Schema): Schema | undefined {
  const { properties, additionalProperties, anyOf = [] } = schema;
  if (properties || typeof additionalProperties === "object") return schema;
  return anyOf.map(groupIn).find((each) => each !== undefined);
}

interface ValueContext {
  readonly path: Path;
  readonly source: ConfigSource;
}

/** Errs on hiding: texts from references, and values of keys that look like secrets, are not shown. */
function shownValue(value: unknown, schema: Schema | undefined, at: ValueContext): unknown {
  const { path, source } = at;
  const isSecret =
    schema?.writeOnly === true ||
    (source.isReferred(path) && !isPublic(value, path)) ||
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

/** Numbers and switches are no secrets, and every caller can read the name and the addresses of a server. */
function isPublic(value: unknown, path: Path): boolean {
  return typeof value === "number" || typeof value === "boolean" || published.has(showPath(path));
}

const published = new Set(["name", "mode", "listen", "http.publicUrl"]);
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
  return isRecord(value) ? value : {};
}

function fieldOf(value: unknown, key: string): unknown {
  const record = recordOf(value);
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
