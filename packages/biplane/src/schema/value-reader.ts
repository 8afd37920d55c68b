import { closeObjects, compileSchema, isRecord, showPath, unknownName } from "@biplane/core/internal";
import type { JsonObject, ValueOf } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { ErrorCode } from "@biplane/core";

export interface ValueReaderOptions {
  /** Names the value as a whole in messages, such as "The body". */
  readonly whole: string;
  /** Code of the errors. */
  readonly code: ErrorCode;
  /** Precedes every message, such as "gitPack: ". */
  readonly prefix?: string;
}

/** Returns a function that checks a value and fills in the defaults. Unknown keys are errors. It compiles at first use. */
export function valueReader<const Schema extends JsonObject>(
  schema: Schema,
  { whole, code, prefix = "" }: ValueReaderOptions,
): (value: unknown) => ValueOf<Schema, true> {
  const closed = closeObjects(schema);
  let check: ReturnType<typeof compileSchema> | undefined;
  return (value) => {
    const unknown = unknownKey(value, closed);
    if (unknown !== undefined) throw new BiplaneError(code, prefix + unknown);
    const fault = (check ??= compileSchema(closed))(value);
    if (!fault) return withDefaults(value, closed) as ValueOf<Schema, true>;
    const path = fault.path.split("/").slice(1).map(unescaped);
    throw new BiplaneError(code, `${prefix}${path.length === 0 ? whole : showPath(path)} ${fault.message}.`);
  };
}

/** The compiler would name the key too, but a suggestion says what to do. */
function unknownKey(value: unknown, { properties, additionalProperties }: JsonObject): string | undefined {
  if (!isRecord(value) || !isRecord(properties) || additionalProperties !== false) return undefined;
  const key = Object.keys(value).find((each) => !Object.hasOwn(properties, each) && value[each] !== undefined);
  if (key === undefined) return undefined;
  const known = Object.keys(properties);
  const why = known.length === 0 ? "is not a known key; there are none" : unknownName(key, known);
  return `${showPath([key])} ${why}${why.endsWith("?") ? "" : "."}`;
}

/** A copy with the defaults of absent keys, also within objects. A key with the value undefined counts as absent. */
export function withDefaults(value: unknown, schema: JsonObject): unknown {
  const { properties } = schema;
  if (!isRecord(value) || !isRecord(properties)) return value;
  const filled: Record<string, unknown> = {};
  for (const [key, given] of Object.entries(value)) {
    if (given === undefined) continue;
    filled[key] = Object.hasOwn(properties, key) ? withDefaults(given, properties[key] as JsonObject) : given;
  }
  for (const [key, property] of Object.entries(properties as Record<string, JsonObject>)) {
    const preset = property["default"];
    if (preset !== undefined && filled[key] === undefined)
      filled[key] = withDefaults(structuredClone(preset), property);
  }
  return filled;
}

function unescaped(token: string): string | number {
  const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
  return /^\d+$/.test(name) ? Number(name) : name;
}
