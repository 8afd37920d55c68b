import type { ToolInfo } from "@biplane/core/client";
import { comment, typeName, typeOfSchema } from "./type-of-schema.ts";

export interface TypesModuleOptions {
  readonly server: { readonly name: string; readonly version: string };
  /** What to run to write the module again. */
  readonly command: string;
}

/** A TypeScript module with the types of a server's tools, and a function that calls them with these types. */
export function typesModule(tools: readonly ToolInfo[], { server, command }: TypesModuleOptions): string {
  const names = uniqueNames(tools.map(({ name }) => name));
  const parts = tools.map((tool, at) => toolTypes(tool, names[at] ?? ""));
  const members = parts.map(({ tool, input, output, about }) => {
    const given = output === undefined ? "" : ` output: ${output};`;
    return `${about}  ${JSON.stringify(tool)}: { input: ${input};${given} };\n`;
  });
  return `${comment(`Types of the tools of ${server.name} ${server.version}. Write them again: ${command}`, "")}
import type { Client, RequestOptions, ToolResult } from "biplane/client";

${parts.map(({ types }) => types).join("\n")}
/** The arguments of each tool, and what it returns if its server says so. */
export interface Tools {
${members.join("")}}

/** What a call of a tool returns: its structured content if its type is known, else the whole result. */
export type Output<Name extends keyof Tools> = Tools[Name] extends { output: infer Value } ? Value : ToolResult;

/** Calls a tool. Throws if the tool fails. */
export async function callTool<Name extends keyof Tools>(
  client: Client,
  name: Name,
  ...[input, options]: Record<string, never> extends Tools[Name]["input"]
    ? [input?: Tools[Name]["input"], options?: RequestOptions]
    : [input: Tools[Name]["input"], options?: RequestOptions]
): Promise<Output<Name>> {
  const result = await client.callTool(name, { ...(input as object) }, options);
  if (result.isError) throw new Error(result.content.map((part) => ("text" in part ? part.text : "")).join("\\n"));
  return (toolsWithOutput.has(name) ? result.structuredContent : result) as Output<Name>;
}

const toolsWithOutput: ReadonlySet<string> = new Set(${JSON.stringify(
    parts.filter(({ output }) => output !== undefined).map(({ tool }) => tool),
  )});
`;
}

function toolTypes({ name, description, inputSchema, outputSchema }: ToolInfo, stem: string) {
  const input = `${stem}Input`;
  const output = outputSchema === undefined ? undefined : `${stem}Output`;
  const written = [declare(input, inputSchema), ...(output === undefined ? [] : [declare(output, outputSchema)])].join(
    "",
  );
  return { tool: name, input, output, about: comment(description, "  "), types: written };
}

function declare(name: string, schema: unknown): string {
  const { type, definitions } = typeOfSchema(schema, { prefix: name });
  const all = [{ name, type }, ...definitions];
  return all.map((each) => `export type ${each.name} = ${each.type};\n`).join("");
}

function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const stem = typeName(name);
    let free = stem;
    for (let at = 2; taken.has(free); at++) free = `${stem}${at}`;
    taken.add(free);
    return free;
  });
}
