import type { Tool } from "@biplane/core";
import { aliasOf, parametersOf } from "../parameters.ts";
import { returnSchemaOf } from "../returns.ts";
import { purposeComment, typeExpression } from "../type-names.ts";
import type { TypeSyntax } from "../type-names.ts";

/** A tool as TypeScript writes it: `read_text_file(path: string, { head?: number }): Promise<string>`. */
export function javascriptSignature(tool: Tool): string {
  const alias = aliasOf(tool.name);
  const callee = alias === tool.name ? alias : `tools[${JSON.stringify(tool.name)}]`;
  const fields = parametersOf(tool).map(({ name, schema, isRequired }) =>
    field(name, isRequired, typeExpression(schema, typescript)),
  );
  const input = fields.length === 0 ? "" : `{ ${fields.join(", ")} }`;
  const output = typeExpression(returnSchemaOf(tool), typescript);
  return `${callee}(${input}): Promise<${output}>${purposeComment(tool, " //")}`;
}

const typescript: TypeSyntax = {
  any: "any",
  simple: { string: "string", number: "number", integer: "number", boolean: "boolean", null: "null" },
  literals: (values) => [...new Set(values.map((value) => JSON.stringify(value)))].join(" | ") || "any",
  array: (items = "any") => (items.includes(" | ") ? `(${items})[]` : `${items}[]`),
  object: ({ properties, required }, typeOf) => {
    if (typeof properties !== "object" || properties === null) return "object";
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    const fields = Object.entries(properties).map(([name, schema]) =>
      field(name, needed.includes(name), typeOf(schema)),
    );
    return fields.length === 0 ? "object" : `{ ${fields.join(", ")} }`;
  },
};

function field(name: string, isRequired: boolean, type: string): string {
  const shown = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return `${shown}${isRequired ? "" : "?"}: ${type}`;
}
