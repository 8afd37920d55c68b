import type { Tool } from "@biplane/core";
import { isRecord } from "@biplane/core/internal";
import { aliasOf, parametersOf } from "../parameters.ts";
import { returnSchemaOf } from "../returns.ts";
import { purposeComment, typeExpression } from "../type-names.ts";
import type { TypeSyntax } from "../type-names.ts";

/** A tool as one line of a Python stub file, with the first line of its description. */
export function pythonSignature(tool: Tool): string {
  return describeTool(tool).stub;
}

export function pythonToolSpecs(tools: readonly Tool[]) {
  const taken = new Set<string>();
  return tools.map((tool) => {
    const spec = describeTool(tool);
    let { alias } = spec;
    while (taken.has(alias)) alias += "_";
    taken.add(alias);
    return alias === spec.alias ? spec : { ...spec, alias };
  });
}

/** The data from which the guest creates a tool function. */
function describeTool(tool: Tool) {
  const alias = pythonName(tool.name);
  const { json } = tool.input;
  const parameters = describeParameters(tool);
  const open = json["additionalProperties"] !== false;
  const output = returnSchemaOf(tool);
  const signature = parameters.map(({ name, annotation, required, ...rest }) => {
    return `${name}: ${annotation}${required ? "" : ` = ${"default" in rest ? literal(rest.default) : "..."}`}`;
  });
  if (open) signature.push("**arguments");
  const returns = typeExpression(output, python);
  const stub = `def ${alias}(${signature.join(", ")}) -> ${returns}: ...${purposeComment(tool, "  #")}`;
  return {
    name: tool.name,
    alias,
    description: tool.description ?? tool.title ?? null,
    parameters,
    /** True if the schema allows additional properties. */
    open,
    returns,
    doc: docOf(tool),
    stub,
    input: json,
    output: output ?? null,
  };
}

function describeParameters(tool: Tool) {
  const taken = new Set<string>(["arguments"]);
  return parametersOf(tool).map(({ name: key, schema, isRequired }) => {
    let name = pythonName(key);
    while (taken.has(name)) name += "_";
    taken.add(name);
    const annotation = typeExpression(schema, python);
    const types = annotation.split(" | ");
    return {
      name,
      /** The parameter's name in the schema. */
      key,
      required: isRequired,
      nullable: types.includes("None") || types.includes("Any"),
      /** True if the value can be an object. Such a first argument is not taken as the whole input. */
      object: types.some((type) => type === "Any" || type.startsWith("dict")),
      annotation,
      ...("default" in schema && { default: schema["default"] }),
    };
  });
}

function docOf(tool: Tool): string {
  const lines = parametersOf(tool).flatMap(({ name, schema }) => {
    const { description } = schema;
    return typeof description === "string" ? [`    ${pythonName(name)}: ${description}`] : [];
  });
  const purpose = tool.description ?? tool.title ?? "";
  return lines.length === 0 ? purpose : `${purpose}\n\nArguments:\n${lines.join("\n")}`.trim();
}

/** A valid Python identifier. Keywords get an underscore: `class` becomes `class_`. */
function pythonName(name: string): string {
  const alias = aliasOf(name);
  return keywords.has(alias) ? `${alias}_` : alias;
}

const keywords = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global " +
    "if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);

const python: TypeSyntax = {
  any: "Any",
  simple: { string: "str", integer: "int", number: "float", boolean: "bool", null: "None" },
  literals: (values) => `Literal[${values.map(literal).join(", ")}]`,
  array: (items) => (items === undefined ? "list" : `list[${items}]`),
  object: ({ additionalProperties: values }, typeOf) =>
    isRecord(values) && Object.keys(values).length > 0 ? `dict[str, ${typeOf(values)}]` : "dict",
};

function literal(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value) ?? "...";
}
