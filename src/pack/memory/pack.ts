import { BiplaneError } from "../../errors.ts";
import type { Pack } from "../../server/pack.ts";
import { Root } from "../files/root.ts";
import { memoryDefaults } from "./options.ts";
import type { MemoryOptions } from "./options.ts";
import { readTool } from "./read.ts";
import { searchTool } from "./search.ts";
import { writeTool } from "./write.ts";

/** What an agent remembers: lasting files, and a note for each day. Every reading is from disk: there is nothing to reload. */
export function memoryPack(options: MemoryOptions & { readonly now?: () => Date }): Pack {
  const { files, maxBytes, timeZone, now = () => new Date(), root } = { ...memoryDefaults, ...options };
  const wrong = files.find((file) => !/^[A-Za-z0-9_-]+\.md$/.test(file));
  if (wrong !== undefined || files.length === 0) {
    throw new BiplaneError("INVALID_DEFINITION", `a memory file is a plain name that ends in .md, not ${wrong}`);
  }
  const memory: Memory = {
    root: new Root({ path: root, prefix: "/memory", create: true }),
    files,
    maxBytes,
    today: () => new Intl.DateTimeFormat("en-CA", { dateStyle: "short", ...(timeZone && { timeZone }) }).format(now()),
  };
  memory.today();
  return { name: "memory", tools: [readTool(memory), writeTool(memory), searchTool(memory)] };
}

/** What the tools of this pack share. */
export interface Memory {
  readonly root: Root;
  readonly files: readonly string[];
  readonly maxBytes: number;
  /** As YYYY-MM-DD. */
  readonly today: () => string;
}
