import { BiplaneError } from "../../errors.ts";
import { findHeaderParameters } from "../../protocol/header-parameters.ts";
import type { HeaderParameter } from "../../protocol/header-parameters.ts";
import type { Tool } from "../../tool/tool.ts";

/** The header parameters of a tool. Throws if its `x-mcp-header` annotations violate the specification. */
export function headerParameters(tool: Tool): readonly HeaderParameter[] {
  let found = known.get(tool);
  if (!found) known.set(tool, (found = collect(tool)));
  return found;
}

const known = new WeakMap<Tool, readonly HeaderParameter[]>();

function collect(tool: Tool): readonly HeaderParameter[] {
  const found = findHeaderParameters(tool.input.json);
  if (typeof found !== "string") return found;
  throw new BiplaneError("INVALID_DEFINITION", `Tool "${tool.name}": x-mcp-header ${found}.`);
}
