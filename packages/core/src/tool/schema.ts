import { messageOf } from "../errors.ts";
import { compileSchema } from "./json-schema/compile.ts";
import type { SchemaOptions } from "./json-schema/compile.ts";
import { FOREIGN_WORK } from "./json-schema/run.ts";
import type { JsonObject, SchemaFault } from "./json-schema/schema.ts";
import { closeObjects, keysOnly } from "./strict-keys.ts";
import { typeEnums } from "./json-schema/type-enums.ts";
import { isStandardSchema } from "./standard-schema.ts";
import type { StandardIssue, StandardSchema } from "./standard-schema.ts";

/** zod or any other Standard Schema, or plain JSON Schema. */
export type AnySchema = StandardSchema | JsonObject;
export type { JsonObject };

/** A compiled schema: its published JSON Schema and its check. */
export interface CompiledSchema {
  readonly json: JsonObject;
  readonly check: (value: unknown) => Checked | Promise<Checked>;
}

/** The parsed value, with defaults and transforms applied, or the first fault. */
export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: SchemaFault };

/** Compiles a tool's input schema. Unknown keys are rejected unless the schema allows them. */
export function compileInput(schema: AnySchema | undefined, options: FormatOption = {}): CompiledSchema {
  if (schema === undefined) return noInput;
  const json = closeObjects(asObjectSchema(publish(schema, "input")));
  if (!isStandardSchema(schema)) return compilePlain(json, { ...fromCallers, ...options });
  const checkKeys = compileSchema(keysOnly(json), fromCallers);
  const { validate } = schema["~standard"];
  return {
    json: deepFreeze(json),
    check: (value) => {
      const fault = checkKeys(value);
      return fault ? { ok: false, fault } : settle(validate(value));
    },
  };
}

/** Compiles an input schema at first use. Only for schemas that are known to be sound. */
export function lazyInput(schema: JsonObject): CompiledSchema {
  let compiled: CompiledSchema | undefined;
  const get = () => (compiled ??= compileInput(schema));
  return Object.freeze({
    get json() {
      return get().json;
    },
    check: (value: unknown) => get().check(value),
  });
}

const fromCallers = { maxWork: FOREIGN_WORK };

/** The input of a tool that takes none. */
const noInput = lazyInput({ type: "object", properties: {}, additionalProperties: false });

/** Whether `format` is checked in a plain JSON Schema. */
type FormatOption = Pick<SchemaOptions, "checkFormats">;

/** Compiles a config schema. Unknown keys are accepted. */
export function compileConfig(schema: AnySchema): CompiledSchema {
  const json = publish(schema, "input");
  if (!isStandardSchema(schema)) return compilePlain(json);
  const { validate } = schema["~standard"];
  return { json: deepFreeze(json), check: (value) => settle(validate(value)) };
}

/** Compiles a tool's output schema, unchanged. */
export function compileOutput(schema: AnySchema, options: FormatOption = {}): CompiledSchema {
  const json = publish(schema, "output");
  if (!isStandardSchema(schema)) return compilePlain(json, options);
  const { validate } = schema["~standard"];
  return { json: deepFreeze(json), check: (value) => settle(validate(value)) };
}

/** A fault as a sentence, with its path. */
export function describeFault(fault: SchemaFault): string {
  return fault.path === "" ? fault.message : `${fault.path} ${fault.message}`;
}

function compilePlain(json: JsonObject, options: SchemaOptions = {}): CompiledSchema {
  const check = compileSchema(json, options);
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
      throw new TypeError("it must be a zod schema, another Standard Schema, or a JSON Schema object.");
    }
    return typeEnums(structuredClone(schema));
  }
  const { vendor, jsonSchema } = schema["~standard"];
  if (!jsonSchema) {
    throw new TypeError(`the ${vendor} schema has no JSON Schema form. Update ${vendor} or write JSON Schema.`);
  }
  try {
    const json = { ...jsonSchema[side]({ target: "draft-2020-12" }) };
    delete json["$schema"];
    delete json["~standard"];
    return typeEnums(json);
  } catch (error) {
    throw new TypeError(`it cannot be expressed as JSON Schema: ${messageOf(error)}`, { cause: error });
  }
}

function asObjectSchema(json: JsonObject): JsonObject {
  const composed = ["anyOf", "oneOf", "allOf", "$ref"].some((keyword) => Object.hasOwn(json, keyword));
  if (json["type"] === undefined && composed) return { type: "object", ...json };
  if (json["type"] === "object") return json;
  throw new TypeError(
    `its type must be "object", because arguments are an object, not ${JSON.stringify(json["type"])}.`,
  );
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

/** A deeply frozen schema can be shared without copies. */
function deepFreeze<T>(json: T): T {
  if (typeof json === "object" && json !== null && !Object.isFrozen(json)) {
    Object.freeze(json);
    for (const value of Object.values(json)) deepFreeze(value);
  }
  return json;
}
