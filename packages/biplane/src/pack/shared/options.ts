import { closeObjects } from "@biplane/core/internal";
import type { JsonObject, ValueOf } from "@biplane/core/internal";
import { object } from "../../schema/builders.ts";
import type { Members, ObjectSchema } from "../../schema/builders.ts";
import { valueReader } from "../../schema/value-reader.ts";

/*
 * The options of a pack are declared once, as a schema in its `options.ts`. Their type, the check of a program's call
 * and of the config file, the defaults and the table in docs/packs follow from it.
 */

/** The schema of a pack's options. Keys that it does not declare are errors, also within them. */
export function optionsOf<const Required extends Members, const Optional extends Members>(
  required: Required,
  optional: Optional,
): ObjectSchema<Required, Optional> {
  return closeObjects(object(required, optional)) as ObjectSchema<Required, Optional>;
}

/** A whole number of at least 1. */
export function count(preset: number, description: string) {
  return { type: "integer", minimum: 1, default: preset, description } as const;
}

export function flag(preset: boolean, description: string) {
  return { type: "boolean", default: preset, description } as const;
}

/** A file or folder. In a config file, it is relative to that file. */
export function path(description: string) {
  return { type: "string", format: "path", minLength: 1, description } as const;
}

export function names(preset: readonly string[], description: string) {
  return { type: "array", items: { type: "string", minLength: 1 }, default: preset, description } as const;
}

/** Exceptions of the network guard. */
export const allowedHosts = names(
  [],
  "Non-public host names (`wiki.corp`, `*.corp`), addresses and CIDR ranges (`10.0.0.0/8`) to allow",
);

export const allowedPorts = {
  type: "array",
  items: { type: "integer", minimum: 1, maximum: 65_535 },
  description: "Allowed ports (default: all)",
} as const;

export const protectedNames = names(
  [".git", ".hg", ".svn", ".jj"],
  "Names of files and folders that tools cannot read or write, in any spelling",
);

export const allowHardLinks = flag(false, "Allow files with several hard links, whose content may lie outside");

/** Checks the options that a program passes to a pack, and fills in the defaults. */
export function readOptions<const Schema extends JsonObject>(
  options: ValueOf<Schema>,
  { pack, schema }: { pack: string; schema: Schema },
): ValueOf<Schema, true> {
  return valueReader(schema, { prefix: `${pack}: `, whole: "its options", code: "INVALID_DEFINITION" })(options);
}
