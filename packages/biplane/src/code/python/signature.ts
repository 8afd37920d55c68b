import type { Tool } from "@biplane/core";
import { aliasOf, parametersOf } from "../parameters.ts";
import { returnSchemaOf } from "../returns.ts";

/** The data from which the guest creates a tool function. */
export interface ToolSpec {
  readonly name: string;
  readonly alias: string;
  readonly description: string | null;
  readonly parameters: readonly ParameterSpec[];
  /** True if the schema allows additional properties. */
  readonly open: boolean;
  readonly returns: string;
  readonly doc: string;
  readonly stub: string;
  readonly input: unknown;
  readonly output: unknown;
}

interface ParameterSpec {
  readonly name: string;
  /** The parameter's name in the schema. */
  readonly key: string;
  readonly required: boolean;
  readonly nullable: boolean;
  /** True if the value can be an object. Such a first argument is not taken as the whole input. */
  readonly object: boolean;
  readonly annotation: string;
  readonly default?: unknown;
}

/** A tool as one line of a Python stub file, with the first line of its description. */
export function pythonSignature(tool: Tool): string {
  return describeTool(tool).stub;
}

export function pythonToolSpecs(tools: readonly Tool[]): readonly ToolSpec[] {
  const taken = new Set<string>();
  return tools.map((tool) => {
    const spec = describeTool(tool);
    let { alias } = spec;
    while (taken.has(alias)) alias += "_";
    taken.add(alias);
    return alias === spec.alias ? spec : { ...spec, alias };
  });
}

function describeTool(tool: Tool): ToolSpec {
  const alias = pythonName(tool.name);
  const { json } = tool.input;
  const parameters = describeParameters(tool);
  const open = json["additionalProperties"] !== false;
  const output = returnSchemaOf(tool);
  const signature = parameters.map(({ name, annotation, required, ...rest }) => {
    return `${name}: ${annotation}${required ? "" : ` = ${"default" in rest ? literal(rest.default) : "..."}`}`;
  });
  if (open) signature.push("**arguments");
  const purpose = (tool.description ?? tool.title ?? "").split("\n")[0]?.slice(0, 200);
  const stub = `def ${alias}(${signature.join(", ")}) -> ${typeOf(output, 0)}: ...${purpose ? `  # ${purpose}` : ""}`;
  return {
    name: tool.name,
    alias,
    description: tool.description ?? tool.title ?? null,
    parameters,
    open,
    returns: typeOf(output, 0),
    doc: docOf(tool),
    stub,
    input: json,
    output: output ?? null,
  };
}

function describeParameters(tool: Tool): readonly ParameterSpec[] {
  const taken = new Set<string>(["arguments"]);
  return parametersOf(tool).map(({ name: key, schema, isRequired }) => {
    let name = pythonName(key);
    while (taken.has(name)) name += "_";
    taken.add(name);
    const annotation = typeOf(schema, 0);
    const types = annotation.split(" | ");
    return {
      name,
      key,
      required: isRequired,
      nullable: types.includes("None") || types.includes("Any"),
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

interface Schema {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly anyOf?: unknown;
  readonly oneOf?: unknown;
  readonly items?: unknown;
  readonly additionalProperties?: unknown;
}

/** A short Python type for a JSON Schema. */
function typeOf(schema: unknown, depth: number): string {
  if (typeof schema !== "object" || schema === null || depth > 3) return "Any";
  const { type, enum: values, const: constant, anyOf, oneOf, items, additionalProperties } = schema as Schema;
  if (constant !== undefined) return `Literal[${literal(constant)}]`;
  if (Array.isArray(values)) return `Literal[${values.slice(0, 20).map(literal).join(", ")}]`;
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return union(choices.map((choice) => typeOf(choice, depth + 1)));
  if (Array.isArray(type)) return union(type.map((each) => typeOf({ ...schema, type: each }, depth + 1)));
  switch (type) {
    case "string":
      return "str";
    case "integer":
      return "int";
    case "number":
      return "float";
    case "boolean":
      return "bool";
    case "null":
      return "None";
    case "array":
      return items === undefined ? "list" : `list[${typeOf(items, depth + 1)}]`;
    case "object":
      return isSchema(additionalProperties) ? `dict[str, ${typeOf(additionalProperties, depth + 1)}]` : "dict";
    default:
      return "Any";
  }
}

function isSchema(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ") || "Any";
}

function literal(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value) ?? "...";
}
