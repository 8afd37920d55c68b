import { compileSchema } from "./compile.ts";
import { FOREIGN_WORK } from "./run.ts";
import type { Check, JsonSchema } from "./schema.ts";

/**
 * Compiles an untrusted schema. It checks types, which policies rely on, but not patterns: matching a
 * hostile regular expression may never end. Compiled on first use, because a list may have thousands.
 */
export function compileForeignSchema(schema: JsonSchema): Check {
  let check: Check | undefined;
  return (value) => {
    check ??= compileOrAccept(schema);
    return check(value);
  };
}

/** A schema that cannot be compiled accepts everything: its author checks the value too. */
function compileOrAccept(schema: JsonSchema): Check {
  try {
    return compileSchema(withoutPatterns(schema, { left: MAX_OBJECTS }) as JsonSchema, { maxWork: FOREIGN_WORK });
  } catch {
    return () => undefined;
  }
}

/** Compiling more takes too long. Real schemas have some hundred. */
const MAX_OBJECTS = 5000;

function withoutPatterns(schema: unknown, budget: { left: number }): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  if (budget.left-- <= 0) throw new RangeError("the schema is too large");
  if (Array.isArray(schema)) return schema.map((item) => withoutPatterns(item, budget));
  if ("patternProperties" in schema) throw new TypeError("patternProperties cannot be checked without patterns");
  // A property may be named `pattern` or `format`: then its value is a schema, not a string.
  const isPattern = ([key, value]: [string, unknown]) =>
    (key === "pattern" || key === "format") && typeof value === "string";
  const kept = Object.entries(schema).filter((entry) => !isPattern(entry));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutPatterns(value, budget)]));
}
