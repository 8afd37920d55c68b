import type { Tool } from "@biplane/core";
import { aliasOf, parametersOf } from "../parameters.ts";

/** A tool as Starlark calls it: `read_text_file(path, head=None)`. */
export function starlarkSignature(tool: Tool): string {
  const parameters = parametersOf(tool).map(({ name, isRequired }) => (isRequired ? name : `${name}=None`));
  const purpose = (tool.description ?? tool.title ?? "").split("\n")[0]?.slice(0, 200);
  return `${aliasOf(tool.name)}(${parameters.join(", ")})${purpose ? `  # ${purpose}` : ""}`;
}
