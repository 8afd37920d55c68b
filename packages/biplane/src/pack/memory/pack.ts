import type { Pack } from "@biplane/core";
import { Root } from "../shared/files/root.ts";
import { memoryOptions } from "./options.ts";
import type { MemoryOptions } from "./options.ts";
import { readOptions } from "../shared/options.ts";
import type { Memory } from "./memory-file.ts";
import { memoryTools } from "./tools.ts";

/** An agent's memory: permanent files and a note for each day. Files are read from disk at every call. */
export function memoryPack({
  now = () => new Date(),
  ...options
}: MemoryOptions & { readonly now?: () => Date }): Pack {
  const { files, maxBytes, timeZone, root } = readOptions(options, { pack: "memoryPack", schema: memoryOptions });
  const memory: Memory = {
    root: new Root({ path: root, prefix: "/memory", create: true }),
    files,
    maxBytes,
    today: () => new Intl.DateTimeFormat("en-CA", { dateStyle: "short", ...(timeZone && { timeZone }) }).format(now()),
  };
  memory.today();
  return { name: "memory", tools: memoryTools(memory) };
}
