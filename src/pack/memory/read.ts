import { reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { readFile } from "../files/read-file.ts";
import { fileField, memoryFile } from "./memory-file.ts";
import type { MemoryFile } from "./memory-file.ts";
import type { Memory } from "./pack.ts";

export function readTool(memory: Memory): Tool {
  return tool({
    name: "memory_read",
    title: "Read memory",
    description:
      "Read what is remembered: a lasting file, or the notes of a day. A file that was never written is empty.",
    input: { type: "object", properties: { file: fileField(memory) } },
    output: {
      type: "object",
      required: ["file", "content", "exists"],
      properties: { file: { type: "string" }, content: { type: "string" }, exists: { type: "boolean" } },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: ({ file }) => read(memory, file as string | undefined),
  });
}

/** What a memory file holds; nothing where it was never written. */
export async function readMemory({ root, maxBytes }: Memory, { names }: MemoryFile): Promise<string | undefined> {
  await using first = await root.find(names.slice(0, 1));
  if (!first.stats) return undefined;
  await using place = await root.find(names);
  return place.stats ? (await readFile(place, maxBytes)).toString("utf8") : undefined;
}

async function read(memory: Memory, given: string | undefined): Promise<Reply> {
  const chosen = memoryFile(memory, given);
  const content = await readMemory(memory, chosen);
  return reply(text(content ?? ""), {
    structured: { file: chosen.file, content: content ?? "", exists: content !== undefined },
  });
}
