import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import type { JsonObject } from "../../packages/core/src/tool/schema.ts";

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

  /** What a public validator of OpenAPI finds wrong with the document. */
  async documentFaults(): Promise<unknown> {
    const { valid, errors } = await new Validator().validate(structuredClone(this.#document));
    return valid ? [] : errors;
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
  const isRecord = copy["type"] === "object" && "properties" in copy && !("additionalProperties" in copy);
  return isRecord ? { ...copy, additionalProperties: false } : copy;
}

function absolute(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"document#/$defs/')) as object;
}
