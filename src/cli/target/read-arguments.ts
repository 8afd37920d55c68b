import { unknownName } from "../../call/rules/near-miss.ts";
import type { ToolInfo } from "../../client/results.ts";
import { BiplaneError } from "../../errors.ts";
import { isObject } from "../../protocol/rpc.ts";
import type { Params } from "../../protocol/rpc.ts";
import { json, kindOf, kindWords, typedValue } from "./typed-value.ts";

/** `key=value`, typed by the tool's schema, and `key:=json`, as it is; a key of a list may be there several times. */
export function readArguments({ name, inputSchema: schema }: ToolInfo, words: readonly string[]): Params {
  const properties = propertiesOf(schema);
  const input: Record<string, unknown> = {};
  for (const word of words) {
    const [, key, sign, text = ""] = /^([^=:]+)(:?=)(.*)$/s.exec(word) ?? [];
    if (key === undefined) throw wrong(`${JSON.stringify(word)} is no argument: write key=value, or key:=json`);
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!property && schema["additionalProperties"] !== true && !isObject(schema["additionalProperties"]))
      throw wrong(`${name}: ${JSON.stringify(key)} ${unknownArgument(key, Object.keys(properties))}`);
    const value = sign === ":=" ? json(key, text) : typedValue(key, text, property ?? {}, schema);
    put(input, key, value);
  }
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  const missing = required.filter((key) => !Object.hasOwn(input, key));
  if (missing.length > 0) {
    const needed = missing.map((key) => `${key}=… (${kindWords(kindOf(properties[key] ?? {}, schema))})`);
    throw wrong(`${name} needs ${needed.join(", ")}`);
  }
  return input;
}

export function propertiesOf(schema: Params): Readonly<Record<string, Params>> {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, isObject(each) ? each : {}]));
}

function unknownArgument(key: string, known: readonly string[]): string {
  return known.length === 0 ? "is not an argument of it; it takes none" : unknownName(key, known, "an argument of it");
}

function put(input: Record<string, unknown>, key: string, value: unknown): void {
  const before = Object.hasOwn(input, key) ? input[key] : undefined;
  const next =
    Array.isArray(before) && Array.isArray(value) ? [...(before as unknown[]), ...(value as unknown[])] : value;
  Object.defineProperty(input, key, { value: next, enumerable: true, writable: true, configurable: true });
}

function wrong(message: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", message);
}
