import type { Path } from "@biplane/core/internal";
import { configSchema } from "./config-schema.ts";
import type { Schema } from "./schema.ts";
import { isRecord } from "@biplane/core/internal";

/** A value that overrides the file. */
export interface Override {
  readonly path: Path;
  readonly value: unknown;
  readonly from: { readonly kind: "environment" | "flag"; readonly name: string };
}

/** Settings that environment variables can override. */
export const settings: readonly Overridable[] = collect(configSchema, []);

/** Overrides from the environment and the command line. Later ones win. */
export function overridesOf(
  environment: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Record<string, unknown>>,
): readonly Override[] {
  const fromEnvironment = settings.flatMap(({ path, environment: name, former }): Override[] => {
    const found = [name, former].find((each) => each !== undefined && (environment[each] ?? "") !== "");
    return found === undefined ? [] : [{ path, value: environment[found], from: { kind: "environment", name: found } }];
  });
  const fromFlags = Object.entries(flags)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): Override => ({ path: name.split("."), value, from: { kind: "flag", name } }));
  return [...fromEnvironment, ...fromFlags];
}

/** A copy of the data with a value set at a path. Data of the wrong type is left for the check to report. */
export function withValue(data: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  const record = data ?? {};
  if (!isRecord(record)) return data;
  return { ...record, [step]: withValue(record[step], rest, value) };
}

interface Overridable {
  readonly path: Path;
  readonly environment: string;
  /** An old name of the variable. */
  readonly former: string | undefined;
}

function collect(schema: Schema, path: Path): Overridable[] {
  const { environment, former, properties = {} } = schema;
  const own = environment === undefined ? [] : [{ path, environment, former: former?.environment }];
  const below = Object.entries(properties).flatMap(([key, each]) => collect(each, [...path, key]));
  return [...own, ...below];
}
