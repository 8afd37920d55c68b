import type { Tool } from "@biplane/core";
import { aliasOf, parametersOf } from "../parameters.ts";
import { purposeComment } from "../type-names.ts";

/** A tool as Starlark calls it: `read_text_file(path, head=None)`. */
export function starlarkSignature(tool: Tool): string {
  const parameters = parametersOf(tool).map(({ name, isRequired }) => (isRequired ? name : `${name}=None`));
  return `${aliasOf(tool.name)}(${parameters.join(", ")})${purposeComment(tool, "  #")}`;
}
