import { messageOf } from "../errors.ts";
import { compileSchema } from "./json-schema/compile.ts";
import type { SchemaFault } from "./json-schema/schema.ts";
import { closeObjects, keysOnly } from "./strict-keys.ts";
import { isStandardSchema } from "./standard-schema.ts";
import type { StandardIssue, StandardSchema } from "./standard-schema.ts";

/** What people may write as a schema: zod or any Standard Schema, or plain JSON Schema 2020-12. */
export type AnySchema = StandardSchema | JsonObject;
export type JsonObject = { readonly [key: string]: unknown };

/** A schema compiled once: how it is published, and how a value is checked against it. */
export interface CompiledSchema {
  readonly json: JsonObject;
  readonly check: (value: unknown) => Checked | Promise<Checked>;
}

/** A checked value, parsed (defaults filled in, transforms made), or the first thing wrong with it. */
export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: SchemaFault };

/** The input of a tool: an object whose unknown keys are refused wherever its author did not open it. */
export function compileInput(schema: AnySchema | undefined): CompiledSchema {
  if (schema === undefined) return compilePlain({ type: "object", properties: {}, additionalProperties: false });
  const json = closeObjects(asObjectSchema(publish(schema, "input")));
  if (!isStandardSchema(schema)) return compilePlain(json);
  const checkKeys = compileSchema(keysOnly(json));
  const { validate } = schema["~standard"];
  return {
    json: deepFreeze(json),
    check: (value) => {
      const fault = checkKeys(value);
      return fault ? { ok: false, fault } : settle(validate(value));
    },
  };
}

/** Settings of something: keys that the schema does not know are no fault. */
export function compileConfig(schema: AnySchema): CompiledSchema {
  const json = publish(schema, "input");
  if (!isStandardSchema(schema)) return compilePlain(json);
  const { validate } = schema["~standard"];
  return { json: deepFreeze(json), check: (value) => settle(validate(value)) };
}

/** The output of a tool, checked as its author wrote it. */
export function compileOutput(schema: AnySchema): CompiledSchema {
  const json = publish(schema, "output");
  if (!isStandardSchema(schema)) return compilePlain(json);
  const { validate } = schema["~standard"];
  return { json: deepFreeze(json), check: (value) => settle(validate(value)) };
}

/** Where in the value, and what is wrong there, as one sentence. */
export function describeFault(fault: SchemaFault): string {
  return fault.path === "" ? fault.message : `${fault.path} ${fault.message}`;
}

function compilePlain(json: JsonObject): CompiledSchema {
  const check = compileSchema(json);
  return {
    json: deepFreeze(json),
    check: (value) => {
      const fault = check(value);
      return fault ? { ok: false, fault } : { ok: true, value };
    },
  };
}

function publish(schema: AnySchema, side: "input" | "output"): JsonObject {
  if (!isStandardSchema(schema)) {
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
      throw new TypeError("must be a zod schema, another Standard Schema, or a JSON Schema object");
    }
    return structuredClone(schema);
  }
  const { vendor, jsonSchema } = schema["~standard"];
  if (!jsonSchema) {
    throw new TypeError(
      `the ${vendor} schema cannot render itself as JSON Schema; update ${vendor} or write JSON Schema`,
    );
  }
  try {
    const json = { ...jsonSchema[side]({ target: "draft-2020-12" }) };
    delete json["$schema"];
    delete json["~standard"];
    return json;
  } catch (error) {
    throw new TypeError(`it cannot be expressed as JSON Schema: ${messageOf(error)}`, { cause: error });
  }
}

function asObjectSchema(json: JsonObject): JsonObject {
  const composed = ["anyOf", "oneOf", "allOf", "$ref"].some((keyword) => Object.hasOwn(json, keyword));
  if (json["type"] === undefined && composed) return { type: "object", ...json };
  if (json["type"] === "object") return json;
  throw new TypeError(`arguments are an object, so its type must be "object", not ${JSON.stringify(json["type"])}`);
}

function settle(result: ReturnType<StandardSchema["~standard"]["validate"]>): Checked | Promise<Checked> {
  if (result instanceof Promise) return result.then(settle);
  const issue = result.issues?.[0];
  return issue
    ? { ok: false, fault: { path: pointer(issue), message: issue.message } }
    : { ok: true, value: (result as { value: unknown }).value };
}

function pointer(issue: StandardIssue): string {
  return (issue.path ?? []).map((step) => `/${String(typeof step === "object" ? step.key : step)}`).join("");
}

/** Freezes JSON all the way down; what is published can then be shared without copies. */
function deepFreeze<T>(json: T): T {
  if (typeof json === "object" && json !== null && !Object.isFrozen(json)) {
    Object.freeze(json);
    for (const value of Object.values(json)) deepFreeze(value);
  }
  return json;
}
