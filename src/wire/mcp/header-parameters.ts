import { BiplaneError } from "../../errors.ts";
import type { Tool } from "../../tool/tool.ts";
import { isObject } from "./rpc.ts";
import type { Params } from "./rpc.ts";

/** An argument that the modern era repeats in a header, as its schema's `x-mcp-header` says. */
export interface HeaderParameter {
  readonly header: string;
  readonly path: readonly string[];
}

/** The header parameters of a tool. An annotation that the specification forbids is a mistake in the tool. */
export function headerParameters(tool: Tool): readonly HeaderParameter[] {
  let found = known.get(tool);
  if (!found) known.set(tool, (found = collect(tool)));
  return found;
}

const known = new WeakMap<Tool, readonly HeaderParameter[]>();

function collect(tool: Tool): readonly HeaderParameter[] {
  const found: HeaderParameter[] = [];
  const mistake = (why: string) => new BiplaneError("INVALID_DEFINITION", `tool "${tool.name}": x-mcp-header ${why}`);
  const walk = (schema: Params, path: readonly string[]) => {
    const properties = isObject(schema["properties"]) ? schema["properties"] : {};
    for (const [key, property] of Object.entries(properties)) {
      if (!isObject(property)) continue;
      const header = property["x-mcp-header"];
      if (header !== undefined) found.push({ header: checked(header, property, mistake), path: [...path, key] });
      walk(property, [...path, key]);
    }
  };
  walk(tool.input.json, []);
  const names = found.map(({ header }) => header.toLowerCase());
  if (new Set(names).size < names.length) throw mistake("names must differ");
  if (annotations(tool.input.json) > found.length) throw mistake("is only allowed on plain, nested properties");
  return found;
}

function checked(header: unknown, property: Params, mistake: (why: string) => BiplaneError): string {
  if (typeof header !== "string" || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header))
    throw mistake("must be a header name");
  if (!["string", "integer", "boolean"].includes(String(property["type"]))) {
    throw mistake(`${header}: only strings, integers and booleans can be repeated in a header`);
  }
  return header;
}

/** How many annotations there are anywhere in the schema. */
function annotations(schema: unknown): number {
  if (Array.isArray(schema)) return schema.reduce<number>((sum, item) => sum + annotations(item), 0);
  if (!isObject(schema)) return 0;
  const own = "x-mcp-header" in schema && "type" in schema ? 1 : 0;
  return Object.values(schema).reduce<number>((sum, value) => sum + annotations(value), own);
}
