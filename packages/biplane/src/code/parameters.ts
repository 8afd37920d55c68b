import type { Tool } from "@biplane/core";
import { isRecord } from "@biplane/core/internal";

export type ToolParameter = ReturnType<typeof parametersOf>[number];

/** A tool's parameters in schema order, required ones first. */
export function parametersOf({ input }: Tool) {
  const { properties, required } = input.json;
  const needed = new Set(Array.isArray(required) ? (required as unknown[]) : []);
  const all = Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    schema: isRecord(schema) ? schema : {},
    isRequired: needed.has(name),
  }));
  return [...all.filter(({ isRequired }) => isRequired), ...all.filter(({ isRequired }) => !isRequired)];
}

/** The function name of a tool in code. Characters that identifiers cannot have become underscores. */
export function aliasOf(name: string): string {
  const alias = name.replaceAll(/[^A-Za-z0-9_]/g, "_");
  return /^\d/.test(alias) ? `_${alias}` : alias;
}
