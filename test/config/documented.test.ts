import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { configSchema } from "../../packages/biplane/src/config/config-schema.ts";
import { resolveConfig } from "../../packages/biplane/src/config/resolve-config.ts";
import type { Schema } from "../../packages/biplane/src/config/schema.ts";

const page = readFileSync(new URL("../../docs/config.md", import.meta.url), "utf8");

test("docs/config.md has a row for everything a config file may say, as the schema says it", () => {
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  const found = rows.map((row) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
  expect(found).toEqual(rowsOf(configSchema, ""));
});

test("every config file in the documentation is in order", () => {
  const policies = readFileSync(new URL("../../docs/policies.md", import.meta.url), "utf8");
  const blocks = [...`${page}\n${policies}`.matchAll(/```yaml\n([^]*?)```/g)].map(([, text = ""]) => text);
  expect(blocks.length).toBeGreaterThan(1);
  const environment = {
    CRM_TOKEN: "crm-token-of-some-length",
    ADA_TOKEN: "ada-token-of-some-length",
    GITHUB_TOKEN: "x",
  };
  for (const text of blocks) resolveConfig({ file: { name: "biplane.yaml", text }, environment });
});

/** Key, kind, default, environment variable, meaning. */
function rowsOf(schema: Schema, path: string): string[][] {
  const { description, default: preset, environment, anyOf, properties, additionalProperties, items } = schema;
  const shown = preset === undefined || JSON.stringify(preset) === "{}" ? "" : `\`${asText(preset)}\``;
  const own = [`\`${path}\``, kindOf(schema), shown, environment ? `\`${environment}\`` : "", description ?? ""];
  const below = [
    ...(anyOf ?? []).flatMap((part) => rowsOf({ ...part, description: "" }, path).slice(1)),
    ...Object.entries(properties ?? {}).flatMap(([key, each]) => rowsOf(each, path === "" ? key : `${path}.${key}`)),
    ...(typeof additionalProperties === "object" ? rowsOf(additionalProperties, `${path}.<name>`).slice(1) : []),
    ...(items ? rowsOf(items, `${path}[]`).slice(1) : []),
  ];
  return path === "" ? below : [own, ...below];
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function kindOf({ type, enum: values, anyOf, items, format, additionalProperties }: Schema): string {
  if (anyOf) return anyOf.map(kindOf).join(" or ");
  if (values) return values.map((value) => `\`${asText(value)}\``).join(" or ");
  if (type === "array") return `list of ${items ? kindOf(items) : "anything"}`;
  if (type === "object" && typeof additionalProperties === "object") {
    const { type: inner, items: each } = additionalProperties;
    return `map of ${inner === "array" && each ? `${kindOf(each)} lists` : kindOf(additionalProperties)}`;
  }
  return format ?? String(type ?? "anything");
}
