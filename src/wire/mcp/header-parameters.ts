import { BiplaneError } from "../../errors.ts";
import { findHeaderParameters } from "../../protocol/header-parameters.ts";
import type { HeaderParameter } from "../../protocol/header-parameters.ts";
import type { Tool } from "../../tool/tool.ts";

/** The header parameters of a tool. An annotation that the specification forbids is a mistake in the tool. */
export function headerParameters(tool: Tool): readonly HeaderParameter[] {
  let found = known.get(tool);
  if (!found) known.set(tool, (found = collect(tool)));
  return found;
}

const known = new WeakMap<Tool, readonly HeaderParameter[]>();

function collect(tool: Tool): readonly HeaderParameter[] {
  const found = findHeaderParameters(tool.input.json);
  if (typeof found !== "string") return found;
  throw new BiplaneError("INVALID_DEFINITION", `tool "${tool.name}": x-mcp-header ${found}`);
}
