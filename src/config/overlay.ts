import type { Path } from "../call/rules/problem.ts";
import { isRecord } from "../call/rules/read-list.ts";
import { configSchema } from "./config-schema.ts";
import type { Schema } from "./schema.ts";

/** A value that goes before what the file says. */
export interface Override {
  readonly path: Path;
  readonly value: unknown;
  readonly from: { readonly kind: "environment" | "flag"; readonly name: string };
}

/** What may be set from outside the file: one value each, with its environment variable. */
export const settings: readonly { readonly path: Path; readonly environment: string }[] = collect(configSchema, []);

/** What the environment and the command line say, in the order in which the later one holds. */
export function overridesOf(
  environment: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Record<string, unknown>>,
): readonly Override[] {
  const fromEnvironment = settings.flatMap(({ path, environment: name }): Override[] => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    return value === undefined || value === "" ? [] : [{ path, value, from: { kind: "environment", name } }];
  });
  const fromFlags = Object.entries(flags)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): Override => ({ path: name.split("."), value, from: { kind: "flag", name } }));
  return [...fromEnvironment, ...fromFlags];
}

/** The same data with a value put in at a path, unless something stands in its way that the check will not like. */
export function withValue(data: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  const record = data ?? {};
  if (!isRecord(record)) return data;
  return { ...record, [step]: withValue(record[step], rest, value) };
}

function collect(schema: Schema, path: Path): { path: Path; environment: string }[] {
  const own = schema.environment === undefined ? [] : [{ path, environment: schema.environment }];
  const below = Object.entries(schema.properties ?? {}).flatMap(([key, each]) => collect(each, [...path, key]));
  return [...own, ...below];
}
