import { BiplaneError } from "@biplane/core";
import { toolIndex } from "@biplane/core/internal";
import type { ToolIndex } from "@biplane/core/internal";
import { StarlarkError } from "@biplane/starlark";
import type { HostFunctions } from "@biplane/starlark";
import type { Tool } from "@biplane/core";
import type { ActionTurn } from "../action-turn.ts";
import type { CodeHost, CodeLimits } from "../engine.ts";
import { aliasOf, parametersOf } from "../parameters.ts";
import { positionalInput } from "../positional.ts";
import { returnSchemaOf } from "../returns.ts";
import { searchTools } from "../search-tools.ts";
import { unknownTool } from "../tool-error.ts";

/** The functions of one action: its tools, and those that describe them. Their arguments are bounded JSON data. */
export function toolFunctions(
  tools: readonly Tool[],
  { limits, host, turn }: { limits: CodeLimits; host: CodeHost; turn: ActionTurn },
): HostFunctions {
  let calls = 0;
  /** Every function runs in the main thread, so each of them counts. */
  const counted = <T>(answer: () => T): T => {
    if (++calls <= limits.calls) return answer();
    throw new StarlarkError("limit", `The code made more than ${limits.calls} tool calls.`);
  };
  let index: ToolIndex<Tool> | undefined;
  const byName = new Map(tools.flatMap((tool) => [[aliasOf(tool.name), tool] as const, [tool.name, tool] as const]));
  const find = (name: unknown): Tool => {
    const found = typeof name === "string" ? byName.get(name) : undefined;
    if (found) return found;
    throw unknownTool(name);
  };
  const callTool = (tool: Tool, args: readonly unknown[]): unknown => {
    const value = host.call(tool.name, positionalInput(tool.name, parametersOf(tool), args));
    return value instanceof Promise ? turn.whileAway(value) : value;
  };
  const tryTool = async (name: unknown, args: readonly unknown[]): Promise<unknown> => {
    try {
      return { ok: true, value: await callTool(find(name), args) };
    } catch (error) {
      if (!(error instanceof BiplaneError)) throw error;
      return { ok: false, code: error.code, message: error.message };
    }
  };
  return {
    list_tools: () => counted(() => tools.map(({ name }) => name)),
    search_tools: (query, limit) => counted(() => searchTools((index ??= toolIndex(tools)), query, limit)),
    get_tool_schema: (name) =>
      counted(() => {
        const found = find(name);
        const { name: own, description, input } = found;
        const output = returnSchemaOf(found);
        const schema = { name: own, description: description ?? null, input_schema: input.json };
        return output ? { ...schema, output_schema: output } : schema;
      }),
    try_tool: (name, ...args) => counted(() => tryTool(name, args)),
    ...Object.fromEntries(
      tools.map((tool) => [aliasOf(tool.name), (...args: unknown[]) => counted(() => callTool(tool, args))] as const),
    ),
  };
}
