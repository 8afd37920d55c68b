import { closeObjects, isRecord } from "@biplane/core/internal";
import type { JsonObject } from "@biplane/core/internal";
import type { KnownNames } from "./check-sections.ts";
import { configSchema } from "./config-schema.ts";
import { argumentSchema, ruleSchema } from "./rule-schema.ts";

/** The JSON Schema of `biplane.yaml`, for editors. It ships as `biplane.schema.json`. */
export function publishedSchema({ packs, environments }: KnownNames): JsonObject {
  const { properties } = configSchema;
  const gallery = { enum: environments, description: "An environment of the gallery" };
  const module = { type: "string", pattern: "^[./]", description: "The path of a module" };
  const whole = {
    ...configSchema,
    properties: {
      ...properties,
      ...(environments && { environments: { ...properties.environments, items: { anyOf: [gallery, module] } } }),
      ...(packs && { packs: { ...properties.packs, properties: closed(packs), additionalProperties: false } }),
      policies: { ...properties.policies, items: ruleSchema },
    },
  };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "biplane.yaml",
    description: "Settings for biplane serve",
    ...published(whole),
    $defs: { argument: published(argumentSchema) },
  };
}

function closed(packs: Readonly<Record<string, JsonObject>>): JsonObject {
  return Object.fromEntries(Object.entries(packs).map(([name, options]) => [name, closeObjects(options)]));
}

/** Without the keywords that only Biplane knows, and with references such as `${PORT}` allowed in place of a value. */
function published(schema: JsonObject): JsonObject {
  const { means: _, environment, former: __, format, ...rest } = schema;
  const description = describe(rest["description"], environment);
  const own: JsonObject = {
    ...mapped(rest),
    ...(format !== undefined && format !== "path" && { format }),
    ...(description !== undefined && { description }),
  };
  if (!needsReference(schema)) return own;
  const { description: shown, default: preset, ...value } = own;
  return {
    ...(shown !== undefined && { description: shown }),
    ...(preset !== undefined && { default: preset }),
    anyOf: [value, { type: "string", pattern: String.raw`\$\{` }],
  };
}

function mapped(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === "properties" && isRecord(value)) return [keyword, withFormerKeys(value)];
      if ((keyword === "items" || keyword === "additionalProperties") && isRecord(value))
        return [keyword, published(value)];
      if (keyword === "propertyNames" && isRecord(value)) return [keyword, { pattern: value["pattern"] }];
      if ((keyword === "anyOf" || keyword === "oneOf") && Array.isArray(value))
        return [keyword, value.map((part) => published(part as JsonObject))];
      return [keyword, value];
    }),
  );
}

/** Old names still work, so editors must not mark them as wrong. */
function withFormerKeys(properties: JsonObject): JsonObject {
  const entries = Object.entries(properties).flatMap(([key, value]): [string, JsonObject][] => {
    const schema = value as JsonObject;
    const { former } = schema;
    const own: [string, JsonObject] = [key, published(schema)];
    return isRecord(former) ? [own, [String(former["key"]), { ...own[1], deprecated: true }]] : [own];
  });
  return Object.fromEntries(entries);
}

/** A reference is text, which would not fit a number, a name of a list, or a pattern. */
function needsReference({ type, enum: values, pattern, minLength, const: only }: JsonObject): boolean {
  if (only !== undefined || Array.isArray(type)) return false;
  const isNumberOrSwitch = type === "number" || type === "integer" || type === "boolean";
  return isNumberOrSwitch || values !== undefined || pattern !== undefined || Number(minLength ?? 0) > 1;
}

function describe(description: unknown, environment: unknown): string | undefined {
  if (typeof description !== "string") return undefined;
  const plain = description.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1");
  return typeof environment === "string" ? `${plain}. Environment variable: ${environment}` : plain;
}
