import type { Params } from "@biplane/core/internal";
import { lookUpReference } from "../../pack/openapi/references.ts";
import { usageError } from "../command/exit-code.ts";
import { isRecord } from "@biplane/core/internal";

/** The types and choices of a schema, as far as converting typed text needs them. */
export interface ValueKind {
  readonly types: ReadonlySet<string>;
  /** The values of an `enum` or `const`. */
  readonly choices: readonly unknown[] | undefined;
  readonly items: Params;
}

export interface TypedValueOptions {
  /** For error messages. */
  readonly name: string;
  readonly schema: Params;
  /** Where `$ref` is resolved (default: `schema`). */
  readonly root?: Params;
}

/** Converts typed text to the type in the schema. */
export function typedValue(text: string, { name, schema, root = schema }: TypedValueOptions): unknown {
  const { types, choices, items } = valueKind(schema, root);
  const chosen = choices?.find((choice) => (typeof choice === "string" ? choice : JSON.stringify(choice)) === text);
  if (chosen !== undefined) return chosen;
  if (types.has("integer") && /^[+-]?\d+$/.test(text)) return Number(text);
  if (types.has("number") && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (types.has("boolean") && /^(true|yes|y)$/i.test(text)) return true;
  if (types.has("boolean") && /^(false|no|n)$/i.test(text)) return false;
  if (types.has("null") && text === "null") return null;
  if (types.has("object") && text.trim().startsWith("{")) return parseJsonArgument(name, text);
  if (types.has("array") && text.trim().startsWith("[")) return parseJsonArgument(name, text);
  if (types.has("string") || types.size === 0) return text;
  if (types.has("array"))
    return text === "" ? [] : text.split(",").map((each) => typedValue(each.trim(), { name, schema: items, root }));
  throw usageError(`${name} must be ${describeKind({ types, choices, items })}, not ${JSON.stringify(text)}.`);
}

/** Parses the JSON value of an argument. */
export function parseJsonArgument(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageError(`${name} is not valid JSON: ${text.slice(0, 80)}`);
  }
}

/** "a whole number", "one of red, green", "text or null" */
export function describeKind({ types, choices }: ValueKind): string {
  if (choices)
    return `one of ${choices.map((choice) => (typeof choice === "string" ? choice : JSON.stringify(choice))).join(", ")}`;
  const known = [...types].map((type) => typeNames[type] ?? type);
  return known.length > 0 ? known.join(" or ") : "any value";
}

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "a JSON object",
};

/** Follows references and alternatives, up to 8 levels. */
export function valueKind(schema: Params, root: Params, depth = 0): ValueKind {
  if (depth > 8) return { types: new Set(), choices: undefined, items: {} };
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    const found = lookUpReference(root, reference);
    return valueKind(isRecord(found) ? found : {}, root, depth + 1);
  }
  const { type, enum: values, const: only, anyOf, oneOf, items } = schema;
  const parts = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.filter(isRecord) : []));
  const kinds = parts.map((part) => valueKind(part, root, depth + 1));
  const own = (Array.isArray(type) ? type : [type]).filter((each): each is string => typeof each === "string");
  const types = new Set([...own, ...kinds.flatMap((kind) => [...kind.types])]);
  const isChoice = kinds.length > 0 && kinds.every((kind) => kind.choices);
  const choices = Array.isArray(values)
    ? values
    : only !== undefined
      ? [only]
      : isChoice
        ? kinds.flatMap((kind) => kind.choices ?? [])
        : undefined;
  return {
    types,
    choices,
    items: isRecord(items) ? items : (kinds.find((kind) => Object.keys(kind.items).length > 0)?.items ?? {}),
  };
}
