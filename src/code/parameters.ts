import type { Tool } from "../tool/tool.ts";

/** An argument of a tool as code writes it. */
export interface Parameter {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly isRequired: boolean;
}

/** A tool's arguments in the order of its schema: required ones first where the schema mixes them. */
export function parametersOf({ input }: Tool): readonly Parameter[] {
  const { properties, required } = input.json;
  const needed = new Set(Array.isArray(required) ? (required as unknown[]) : []);
  const all = Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    schema: isRecord(schema) ? schema : {},
    isRequired: needed.has(name),
  }));
  return [...all.filter(({ isRequired }) => isRequired), ...all.filter(({ isRequired }) => !isRequired)];
}

/** The name by which code calls a tool: its own, with what no identifier may have made underscores. */
export function aliasOf(name: string): string {
  const alias = name.replaceAll(/[^A-Za-z0-9_]/g, "_");
  return /^\d/.test(alias) ? `_${alias}` : alias;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
