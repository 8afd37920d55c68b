import { describe, expect, it } from "vitest";
import { compileSchema } from "../../../packages/core/src/tool/json-schema/compile.ts";
import type { JsonSchema } from "../../../packages/core/src/tool/json-schema/schema.ts";

/** One row: what is shown, the schema, values that fit it, values that do not. */
export type SchemaRow = readonly [
  behaviour: string,
  schema: JsonSchema,
  fitting: readonly unknown[],
  failing: readonly unknown[],
];

export function testSchemaTable(title: string, rows: readonly SchemaRow[]): void {
  // oxlint-disable-next-line vitest/valid-title -- the caller writes it.
  describe(title, () => {
    it.each(rows)("%s", (_behaviour, schema, fitting, failing) => {
      const check = compileSchema(schema);
      for (const value of fitting) expect(check(value), `fits: ${show(value)}`).toBeUndefined();
      for (const value of failing) expect(check(value), `fails: ${show(value)}`).toBeDefined();
    });
  });
}

function show(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 200) ?? "undefined";
}
