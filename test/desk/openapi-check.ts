import { Ajv2020 } from "ajv/dist/2020.js";
import type { ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import type { JsonObject } from "../../src/tool/schema.ts";

export interface ApiDocument extends JsonObject {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonObject>> };
}

export interface ApiOperation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: JsonObject }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonObject }>> };
  readonly responses: Readonly<Record<string, ApiResponse>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

interface ApiResponse {
  readonly content?: Readonly<Record<string, { readonly schema: JsonObject }>>;
  readonly "x-events"?: Readonly<Record<string, JsonObject>>;
}

/** Holds what was answered against what a description says would be. A member that it does not name is a mistake. */
export class Checker {
  readonly #document: ApiDocument;
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: ApiDocument) {
    this.#document = document;
    this.#ajv = new Ajv2020({
      strict: true,
      allowUnionTypes: true,
      strictRequired: false,
      formats: { "date-time": isTime },
    });
    this.#ajv.addSchema({ $id: "document", $defs: absolute(closed(document.components.schemas)) });
  }

  /** Everything that is wrong with an answer; nothing where it is as described. */
  faults(key: string, status: number, body: unknown): readonly string[] {
    const { responses } = this.operation(key);
    const response = responses[status];
    if (!response) return [`${key} answers ${status}, which is not described`];
    const schema = response.content?.["application/json"]?.schema;
    if (!schema) return body === undefined ? [] : [`${key} ${status} says something, and should say nothing`];
    return this.check(`${key} ${status}`, schema, body);
  }

  eventFaults(key: string, event: string, data: unknown): readonly string[] {
    const schema = this.operation(key).responses["200"]?.["x-events"]?.[event];
    return schema ? this.check(`${key} ${event}`, schema, data) : [`${key} sends ${event}, which is not described`];
  }

  bodyFaults(key: string, body: unknown): readonly string[] {
    const schema = this.operation(key).requestBody?.content["application/json"]?.schema;
    return schema ? this.check(`${key} body`, schema, body) : [`${key} takes no body`];
  }

  check(what: string, schema: JsonObject, value: unknown): readonly string[] {
    return this.#check(what, absolute(closed(schema)), value);
  }

  /** Whether the document itself is one of OpenAPI 3.1. */
  structureFaults(): readonly string[] {
    return this.#check("the document", structure, this.#document);
  }

  #check(what: string, schema: object, value: unknown): readonly string[] {
    let compiled = this.#compiled.get(what);
    if (!compiled) {
      compiled = this.#ajv.compile(schema);
      this.#compiled.set(what, compiled);
    }
    return compiled(value) ? [] : (compiled.errors ?? []).map((error) => `${what}: ${shown(error)}`);
  }

  operation(key: string): ApiOperation {
    const [method = "", path = ""] = key.split(" ");
    const operation = this.#document.paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
    if (!operation) throw new Error(`${key} is not described`);
    return operation;
  }
}

/** The one way in which our times are written. */
function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;
}

function shown({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath || "it"} ${message ?? ""} ${JSON.stringify(params)}`;
}

/** The same with every object shut that names its members. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isObject = copy["type"] === "object" && "properties" in copy && !("additionalProperties" in copy);
  return isObject ? { ...copy, additionalProperties: false } : copy;
}

function absolute(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"document#/$defs/')) as object;
}

/** What a document of OpenAPI 3.1 is like, as far as ours goes. */
const structure: JsonObject = {
  type: "object",
  required: ["openapi", "info", "paths", "components"],
  additionalProperties: false,
  patternProperties: { "^x-": {} },
  properties: {
    openapi: { const: "3.1.0" },
    info: {
      type: "object",
      required: ["title", "version"],
      additionalProperties: false,
      properties: { title: { type: "string" }, version: { type: "string" }, description: { type: "string" } },
    },
    servers: { type: "array", items: { type: "object", required: ["url"] } },
    paths: {
      type: "object",
      additionalProperties: false,
      patternProperties: {
        "^/": {
          type: "object",
          additionalProperties: false,
          patternProperties: { "^(get|put|post|delete)$": { $ref: "#/$defs/operation" } },
        },
      },
    },
    components: {
      type: "object",
      additionalProperties: false,
      properties: {
        schemas: {
          type: "object",
          propertyNames: { pattern: "^[a-zA-Z0-9._-]+$" },
          additionalProperties: { type: "object" },
        },
        securitySchemes: {
          type: "object",
          additionalProperties: {
            anyOf: [
              { type: "object", required: ["type", "in", "name"], properties: { type: { const: "apiKey" } } },
              { type: "object", required: ["type", "scheme"], properties: { type: { const: "http" } } },
            ],
          },
        },
      },
    },
  },
  $defs: {
    operation: {
      type: "object",
      required: ["operationId", "summary", "responses", "security"],
      additionalProperties: false,
      properties: {
        operationId: { type: "string", pattern: "^[a-zA-Z]+$" },
        summary: { type: "string", minLength: 1 },
        parameters: {
          type: "array",
          items: {
            type: "object",
            required: ["name", "in", "schema"],
            additionalProperties: false,
            properties: {
              name: { type: "string" },
              in: { enum: ["path", "query"] },
              required: { type: "boolean" },
              description: { type: "string" },
              schema: { type: "object" },
            },
            anyOf: [
              { properties: { in: { const: "query" } } },
              { properties: { in: { const: "path" }, required: { const: true } }, required: ["required"] },
            ],
          },
        },
        requestBody: {
          type: "object",
          required: ["content"],
          additionalProperties: false,
          properties: { required: { type: "boolean" }, content: { $ref: "#/$defs/content" } },
        },
        responses: {
          type: "object",
          minProperties: 1,
          additionalProperties: false,
          patternProperties: {
            "^[1-5][0-9][0-9]$": {
              type: "object",
              required: ["description"],
              additionalProperties: false,
              patternProperties: { "^x-": {} },
              properties: { description: { type: "string", minLength: 1 }, content: { $ref: "#/$defs/content" } },
            },
          },
        },
        security: {
          type: "array",
          items: { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
        },
      },
    },
    content: {
      type: "object",
      minProperties: 1,
      additionalProperties: {
        type: "object",
        required: ["schema"],
        additionalProperties: false,
        properties: { schema: { type: "object" } },
      },
    },
  },
};
