import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { JsonObject } from "../../../../packages/core/src/tool/schema.ts";
import { Badge } from "../../components/badge.tsx";
import { branchesOf, isRequiredIn, resolved, schemaOf } from "../../components/schema-form/schema.ts";
import type { Schema } from "../../components/schema-form/schema.ts";
import { Text } from "../../components/text.tsx";

/** The fields of a schema as rows. Nested fields are indented. */
export function SchemaTable({ schema, label }: { readonly schema: JsonObject; readonly label: string }): JSX.Element {
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  if (fields.length === 0) return <p class="muted tools-none">No fields.</p>;
  return (
    <table class="tools-schema">
      <caption class="hidden">{label}</caption>
      <thead class="hidden">
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Type</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ path, name, depth, type, isRequired, about, limits }) => (
          <tr key={path}>
            <th scope="row" style={{ paddingInlineStart: `${1 + depth}rem` }}>
              <Text value={name} isMono maxLength={60} isFixed />
            </th>
            <td>
              <div class="row">
                <span class="tools-type">
                  <Text value={type} maxLength={200} />
                </span>
                {isRequired && <Badge>required</Badge>}
              </div>
              {about !== "" && <Text value={about} maxLength={400} />}
              {limits !== "" && (
                <div class="muted small">
                  <Text value={limits} maxLength={300} />
                </div>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface FieldRow {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  readonly type: string;
  readonly isRequired: boolean;
  readonly about: string;
  readonly limits: string;
}

const maxFields = 200;
const maxDepth = 4;

function fieldsOf(root: JsonObject): readonly FieldRow[] {
  const rows: FieldRow[] = [];
  const walk = (given: Schema, path: string, depth: number): void => {
    const schema = inner(resolved(given, root), root);
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (rows.length >= maxFields) return;
      const field = resolved(schemaOf(property), root);
      const own = `${path}/${name}`;
      const about: unknown = field.description ?? field.title;
      const isRequired = isRequiredIn(schema, name);
      rows.push({
        path: own,
        name,
        depth,
        type: typeOf(field, root),
        isRequired,
        about: typeof about === "string" ? about : "",
        limits: limitsOf(field),
      });
      if (depth < maxDepth) walk(field, own, depth + 1);
    }
  };
  walk(schemaOf(root), "", 0);
  return rows;
}

/** Lists show the fields of their items. */
function inner(schema: Schema, root: JsonObject): Schema {
  return schema.properties || !schema.items ? schema : inner(resolved(schemaOf(schema.items), root), root);
}

function typeOf(schema: Schema, root: JsonObject, depth = 0): string {
  if (depth > 4) return "…";
  if (Object.hasOwn(schema, "const")) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const branches = branchesOf(schema);
  if (branches) return [...new Set(branches.map((each) => typeOf(resolved(each, root), root, depth + 1)))].join(" or ");
  const type = typeof schema.type === "string" ? schema.type : schema.properties ? "object" : "anything";
  if (type === "array") return `list of ${typeOf(resolved(schemaOf(schema.items), root), root, depth + 1)}`;
  return typeof schema.format === "string" ? `${type} (${schema.format})` : type;
}

function limitsOf(schema: Schema): string {
  return limitLabels
    .flatMap(([key, label]) => (schema[key] === undefined ? [] : [`${label} ${JSON.stringify(schema[key])}`]))
    .join(", ");
}

const limitLabels: readonly (readonly [keyof Schema, string])[] = [
  ["default", "default"],
  ["minimum", "at least"],
  ["exclusiveMinimum", "greater than"],
  ["maximum", "at most"],
  ["exclusiveMaximum", "less than"],
  ["minLength", "minimum length"],
  ["maxLength", "maximum length"],
  ["minItems", "minimum items"],
  ["maxItems", "maximum items"],
  ["pattern", "pattern"],
];
