import { isRecord } from "@biplane/core/internal";
import type { ToolInfo } from "@biplane/core/client";
import { didYouMean } from "../terminal/did-you-mean.ts";
import { usageError } from "../command/exit-code.ts";
import type { Params } from "@biplane/core/internal";
import { parseJsonArgument, valueKind, describeKind, typedValue } from "./typed-value.ts";

/** Reads `key=value`, converted by the tool's schema, and `key:=json`. A key whose value is a list may repeat. */
export function readArguments({ name, inputSchema: schema }: ToolInfo, pairs: readonly string[]): Params {
  const properties = propertiesOf(schema);
  const input: Record<string, unknown> = {};
  for (const pair of pairs) {
    const [, key, sign, text = ""] = /^([^=:]+)(:?=)(.*)$/s.exec(pair) ?? [];
    if (key === undefined)
      throw usageError(`${JSON.stringify(pair)} is not an argument. Write key=value or key:=json.`);
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!property && schema["additionalProperties"] !== true && !isRecord(schema["additionalProperties"]))
      throw usageError(`${name} has no argument ${JSON.stringify(key)}. ${hintFor(key, Object.keys(properties))}`);
    const value =
      sign === ":="
        ? parseJsonArgument(key, text)
        : typedValue(text, { name: key, schema: property ?? {}, root: schema });
    put(input, key, value);
  }
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  const missing = required.filter((key) => !Object.hasOwn(input, key));
  if (missing.length > 0) {
    const needed = missing.map((key) => `${key}=… (${describeKind(valueKind(properties[key] ?? {}, schema))})`);
    throw usageError(`${name} needs ${needed.join(", ")}.`);
  }
  return input;
}

export function propertiesOf(schema: Params): Readonly<Record<string, Params>> {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, isRecord(each) ? each : {}]));
}

function hintFor(key: string, known: readonly string[]): string {
  return didYouMean(key, known, known.length === 0 ? "It takes none." : `Its arguments: ${known.join(", ")}.`);
}

function put(input: Record<string, unknown>, key: string, value: unknown): void {
  const before = Object.hasOwn(input, key) ? input[key] : undefined;
  const next =
    Array.isArray(before) && Array.isArray(value) ? [...(before as unknown[]), ...(value as unknown[])] : value;
  Object.defineProperty(input, key, { value: next, enumerable: true, writable: true, configurable: true });
}
