import { reply, text, tool } from "@biplane/core";
import type { Reply, Tool } from "@biplane/core";
import { readFile } from "../shared/files/read-file.ts";
import { fileField, memoryFile } from "./memory-file.ts";
import type { MemoryFile } from "./memory-file.ts";
import type { Memory } from "./pack.ts";

export function memoryReadTool(memory: Memory): Tool {
  return tool({
    name: "memory_read",
    title: "Read memory",
    description: "Read a memory file: a permanent file or the note of a day. A missing file is empty.",
    input: { type: "object", properties: { file: fileField(memory) } },
    output: {
      type: "object",
      required: ["file", "content", "exists"],
      properties: { file: { type: "string" }, content: { type: "string" }, exists: { type: "boolean" } },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: ({ file }) => read(memory, file),
  });
}

/** The content of a memory file. Undefined if it does not exist. */
export async function readMemory({ root, maxBytes }: Memory, { names }: MemoryFile): Promise<string | undefined> {
  await using first = await root.find(names.slice(0, 1));
  if (!first.stats) return undefined;
  await using location = await root.find(names);
  return location.stats ? (await readFile(location, maxBytes)).toString("utf8") : undefined;
}

async function read(memory: Memory, given: string | undefined): Promise<Reply> {
  const chosen = memoryFile(memory, given);
  const content = await readMemory(memory, chosen);
  return reply(text(content ?? ""), {
    structured: { file: chosen.file, content: content ?? "", exists: content !== undefined },
  });
}
