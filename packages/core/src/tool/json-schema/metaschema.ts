import type { JsonObject } from "./schema.ts";

/**
 * The schema of JSON Schema 2020-12, in its eight parts by URI. It lets a schema demand a schema:
 * `{ $ref: "https://json-schema.org/draft/2020-12/schema" }`.
 */
export function findMetaschema(uri: string): JsonObject | undefined {
  const name = uri.startsWith(base) ? uri.slice(base.length) : "";
  parts ??= makeParts();
  return Object.hasOwn(parts, name) ? parts[name] : undefined;
}

const base = "https://json-schema.org/draft/2020-12/";
let parts: Readonly<Record<string, JsonObject>> | undefined;

function makeParts(): Readonly<Record<string, JsonObject>> {
  const names = Object.keys(vocabularies);
  const vocabularyParts = Object.entries(vocabularies).map(
    ([name, body]) => [`meta/${name}`, part(`meta/${name}`, [name], body)] as const,
  );
  const whole = { allOf: names.map((name) => ({ $ref: `meta/${name}` })), properties: olderKeywords };
  return { schema: part("schema", names, whole), ...Object.fromEntries(vocabularyParts) };
}

function part(name: string, defined: readonly string[], body: JsonObject): JsonObject {
  return {
    $schema: `${base}schema`,
    $id: base + name,
    $vocabulary: Object.fromEntries(defined.map((each) => [`${base}vocab/${each}`, true])),
    $dynamicAnchor: "meta",
    type: ["object", "boolean"],
    ...body,
  };
}

const any = { $dynamicRef: "#meta" };
const anyByName = { type: "object", additionalProperties: any };
const schemaArray = { type: "array", minItems: 1, items: any };
const strings = { $ref: "#/$defs/stringArray" };
const stringArray = { type: "array", items: { type: "string" }, uniqueItems: true, default: [] };
const count = { $ref: "#/$defs/nonNegativeInteger" };
const countFromZero = { $ref: "#/$defs/nonNegativeIntegerDefault0" };

const core = {
  properties: {
    $id: { $ref: "#/$defs/uriReferenceString", pattern: "^[^#]*#?$" },
    $schema: { $ref: "#/$defs/uriString" },
    $ref: { $ref: "#/$defs/uriReferenceString" },
    $anchor: { $ref: "#/$defs/anchorString" },
    $dynamicRef: { $ref: "#/$defs/uriReferenceString" },
    $dynamicAnchor: { $ref: "#/$defs/anchorString" },
    $vocabulary: {
      type: "object",
      propertyNames: { $ref: "#/$defs/uriString" },
      additionalProperties: { type: "boolean" },
    },
    $comment: { type: "string" },
    $defs: anyByName,
  },
  $defs: {
    anchorString: { type: "string", pattern: "^[A-Za-z_][-A-Za-z0-9._]*$" },
    uriString: { type: "string", format: "uri" },
    uriReferenceString: { type: "string", format: "uri-reference" },
  },
};

const applicator = {
  properties: {
    prefixItems: { $ref: "#/$defs/schemaArray" },
    items: any,
    contains: any,
    additionalProperties: any,
    properties: { ...anyByName, default: {} },
    patternProperties: { ...anyByName, propertyNames: { format: "regex" }, default: {} },
    dependentSchemas: { ...anyByName, default: {} },
    propertyNames: any,
    if: any,
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: any,
    else: any,
    allOf: { $ref: "#/$defs/schemaArray" },
    anyOf: { $ref: "#/$defs/schemaArray" },
    oneOf: { $ref: "#/$defs/schemaArray" },
    not: any,
  },
  $defs: { schemaArray },
};

const unevaluated = { properties: { unevaluatedItems: any, unevaluatedProperties: any } };

const validation = {
  properties: {
    type: {
      anyOf: [
        { $ref: "#/$defs/simpleTypes" },
        { type: "array", items: { $ref: "#/$defs/simpleTypes" }, minItems: 1, uniqueItems: true },
      ],
    },
    const: true,
    enum: { type: "array", items: true },
    multipleOf: { type: "number", exclusiveMinimum: 0 },
    maximum: { type: "number" },
    exclusiveMaximum: { type: "number" },
    minimum: { type: "number" },
    exclusiveMinimum: { type: "number" },
    maxLength: count,
    minLength: countFromZero,
    pattern: { type: "string", format: "regex" },
    maxItems: count,
    minItems: countFromZero,
    uniqueItems: { type: "boolean", default: false },
    maxContains: count,
    minContains: { ...count, default: 1 },
    maxProperties: count,
    minProperties: countFromZero,
    required: strings,
    dependentRequired: { type: "object", additionalProperties: strings },
  },
  $defs: {
    nonNegativeInteger: { type: "integer", minimum: 0 },
    nonNegativeIntegerDefault0: { ...count, default: 0 },
    simpleTypes: { enum: ["array", "boolean", "integer", "null", "number", "object", "string"] },
    stringArray,
  },
};

const annotations = {
  properties: {
    title: { type: "string" },
    description: { type: "string" },
    default: true,
    deprecated: { type: "boolean", default: false },
    readOnly: { type: "boolean", default: false },
    writeOnly: { type: "boolean", default: false },
    examples: { type: "array", items: true },
  },
};

const format = { properties: { format: { type: "string" } } };

const content = {
  properties: { contentEncoding: { type: "string" }, contentMediaType: { type: "string" }, contentSchema: any },
};

const olderKeywords = {
  definitions: {
    ...anyByName,
    deprecated: true,
    default: {},
  },
  dependencies: {
    type: "object",
    additionalProperties: { anyOf: [any, { $ref: "meta/validation#/$defs/stringArray" }] },
    deprecated: true,
    default: {},
  },
  $recursiveAnchor: {
    $ref: "meta/core#/$defs/anchorString",
    deprecated: true,
  },
  $recursiveRef: {
    $ref: "meta/core#/$defs/uriReferenceString",
    deprecated: true,
  },
};

const vocabularies = {
  core,
  applicator,
  unevaluated,
  validation,
  "meta-data": annotations,
  "format-annotation": format,
  content,
};
