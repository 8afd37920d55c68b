import { encodeHeader, findHeaderParameters } from "../protocol/header-parameters.ts";
import type { Params } from "../protocol/rpc.ts";
import type { ToolInfo } from "./results.ts";
import { isRecord } from "../is-record.ts";

/** The server's tools as of the last `tools/list`. */
export class ListedTools {
  readonly #tools = new Map<string, ToolInfo>();

  set(tools: readonly ToolInfo[]): void {
    this.#tools.clear();
    for (const tool of tools) this.#tools.set(tool.name, tool);
  }

  clear(): void {
    this.#tools.clear();
  }

  find(name: unknown): ToolInfo | undefined {
    return typeof name === "string" ? this.#tools.get(name) : undefined;
  }

  /** Headers that repeat the arguments which a tool marks with `x-mcp-header`. */
  headersOf(params: Params): Record<string, string> {
    const tool = this.find(params["name"]);
    const found = tool ? findHeaderParameters(tool.inputSchema) : [];
    if (typeof found === "string") return {};
    const headers = found.flatMap(({ header, path }) => {
      const value = path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), params["arguments"]);
      return isScalar(value) ? [[`mcp-param-${header}`, encodeHeader(String(value))] as const] : [];
    });
    return Object.fromEntries(headers);
  }
}

/** Drops tools with an invalid `x-mcp-header` annotation, as the specification demands, and warns about each. */
export function withoutMisannotated(tools: readonly ToolInfo[], onWarning: (warning: string) => void): ToolInfo[] {
  return tools.filter(({ name, inputSchema }) => {
    const found = findHeaderParameters(inputSchema);
    if (typeof found !== "string") return true;
    onWarning(`The tool ${JSON.stringify(name)} was skipped: x-mcp-header ${found}.`);
    return false;
  });
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
