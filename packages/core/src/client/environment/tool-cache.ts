import type { ToolInfo } from "../results.ts";

/** Lists the tools of a server once for all its clients. */
export class ToolCache {
  #tools: Promise<readonly ToolInfo[]> | undefined;

  get(list: () => Promise<readonly ToolInfo[]>): Promise<readonly ToolInfo[]> {
    if (this.#tools) return this.#tools;
    const listing = list();
    this.#tools = listing;
    listing.catch(() => (this.#tools = undefined)); // the next client lists again
    return listing;
  }
}
