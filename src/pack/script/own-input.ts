import { compileInput } from "../../tool/schema.ts";
import type { JsonObject } from "../../tool/schema.ts";
import type { StandardSchema } from "../../tool/standard-schema.ts";

/**
 * A schema that gives each call an input object of its own, also where a program hands the same object to two calls:
 * what is kept for one of them must not be found by the other.
 */
export function ownInput(json: JsonObject): StandardSchema<Readonly<Record<string, unknown>>> {
  const { check } = compileInput(json);
  const published = () => structuredClone(json) as Record<string, unknown>;
  return {
    "~standard": {
      version: 1,
      vendor: "biplane",
      validate: async (value) => {
        const checked = await check(value);
        if (checked.ok) return { value: { ...(checked.value as Record<string, unknown>) } };
        const { path, message } = checked.fault;
        return { issues: [{ message, path: path.split("/").slice(1) }] };
      },
      jsonSchema: { input: published, output: published },
    },
  };
}
