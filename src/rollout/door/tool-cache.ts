import type { Client } from "../../client/client.ts";
import type { ToolInfo } from "../../client/results.ts";
import type { ToolDefinition } from "../message.ts";

/** The tools of each address, asked for once however many rollouts begin at the same time. */
export class ToolCache {
  readonly #tools = new Map<string, Promise<readonly ToolDefinition[]>>();

  of(address: string, client: Client): Promise<readonly ToolDefinition[]> {
    return this.get(address, async () => (await client.listTools()).map(toolDefinition));
  }

  get(address: string, list: () => Promise<readonly ToolDefinition[]>): Promise<readonly ToolDefinition[]> {
    const known = this.#tools.get(address);
    if (known) return known;
    const asked = list();
    this.#tools.set(address, asked);
    asked.catch(() => this.#tools.delete(address)); // the next one asks again
    return asked;
  }
}

export function toolDefinition({ name, description = "", inputSchema }: ToolInfo): ToolDefinition {
  return { type: "function", function: { name, description, parameters: inputSchema } };
}
