import type { Params } from "../../protocol/rpc.ts";
import { isObject } from "../../protocol/rpc.ts";
import { BiplaneError } from "../../errors.ts";

/** What a property may be, as far as typing it in goes. */
export interface Kind {
  readonly types: ReadonlySet<string>;
  /** The values there are to choose from, where there are some. */
  readonly choices: readonly unknown[] | undefined;
  readonly items: Params;
}

/** Makes a value of what somebody typed, by what the schema says it is to be. */
export function typedValue(name: string, text: string, schema: Params, root: Params = schema): unknown {
  const { types, choices, items } = kindOf(schema, root);
  const chosen = choices?.find((choice) => (typeof choice === "string" ? choice : JSON.stringify(choice)) === text);
  if (chosen !== undefined) return chosen;
  if (types.has("integer") && /^[+-]?\d+$/.test(text)) return Number(text);
  if (types.has("number") && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (types.has("boolean") && /^(true|yes|y)$/i.test(text)) return true;
  if (types.has("boolean") && /^(false|no|n)$/i.test(text)) return false;
  if (types.has("null") && text === "null") return null;
  if (types.has("object") && text.trim().startsWith("{")) return json(name, text);
  if (types.has("array") && text.trim().startsWith("[")) return json(name, text);
  if (types.has("string") || types.size === 0) return text;
  if (types.has("array"))
    return text === "" ? [] : text.split(",").map((each) => typedValue(name, each.trim(), items, root));
  throw new BiplaneError(
    "INVALID_INPUT",
    `${name} must be ${kindWords({ types, choices, items })}, not ${JSON.stringify(text)}`,
  );
}

/** The value that a text of JSON stands for. */
export function json(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BiplaneError("INVALID_INPUT", `${name} is not JSON: ${text.slice(0, 80)}`);
  }
}

/** "a whole number", "one of red, green", "text or null" */
export function kindWords({ types, choices }: Kind): string {
  if (choices)
    return `one of ${choices.map((choice) => (typeof choice === "string" ? choice : JSON.stringify(choice))).join(", ")}`;
  const known = [...types].map((type) => words[type] ?? type);
  return known.length > 0 ? known.join(" or ") : "anything";
}

const words: Readonly<Record<string, string>> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object in JSON",
};

/** Looks through references and alternatives, which are a few levels deep at most. */
export function kindOf(schema: Params, root: Params, depth = 0): Kind {
  if (depth > 8) return { types: new Set(), choices: undefined, items: {} };
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    const found = reference.startsWith("#/") ? lookUp(root, reference.slice(2).split("/")) : undefined;
    return kindOf(isObject(found) ? found : {}, root, depth + 1);
  }
  const { type, enum: values, const: only, anyOf, oneOf, items } = schema;
  const parts = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []));
  const kinds = parts.map((part) => kindOf(part, root, depth + 1));
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
    items: isObject(items) ? items : (kinds.find((kind) => Object.keys(kind.items).length > 0)?.items ?? {}),
  };
}

function lookUp(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, step) => {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    return isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined;
  }, root);
}
