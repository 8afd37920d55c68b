import { encodeHeader, findHeaderParameters } from "../protocol/header-parameters.ts";
import { isObject } from "../protocol/rpc.ts";
import type { Params } from "../protocol/rpc.ts";
import type { ToolInfo } from "./results.ts";

/** What is known of a server's tools since they were last listed. */
export class Catalogue {
  readonly #tools = new Map<string, ToolInfo>();

  remember(tools: readonly ToolInfo[]): void {
    this.#tools.clear();
    for (const tool of tools) this.#tools.set(tool.name, tool);
  }

  forget(): void {
    this.#tools.clear();
  }

  find(name: unknown): ToolInfo | undefined {
    return typeof name === "string" ? this.#tools.get(name) : undefined;
  }

  /** The arguments of a call that a tool wants repeated in headers. */
  headersOf(params: Params): Record<string, string> {
    const tool = this.find(params["name"]);
    const found = tool ? findHeaderParameters(tool.inputSchema) : [];
    if (typeof found === "string") return {};
    const headers = found.flatMap(({ header, path }) => {
      const value = path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), params["arguments"]);
      return isScalar(value) ? [[`mcp-param-${header}`, encodeHeader(String(value))] as const] : [];
    });
    return Object.fromEntries(headers);
  }
}

/** Splits off tools whose annotations the specification forbids, with the reason. */
export function withoutMisannotated(tools: readonly ToolInfo[], onWarning: (warning: string) => void): ToolInfo[] {
  return tools.filter(({ name, inputSchema }) => {
    const found = findHeaderParameters(inputSchema);
    if (typeof found !== "string") return true;
    onWarning(`the tool ${JSON.stringify(name)} is left out: x-mcp-header ${found}`);
    return false;
  });
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
