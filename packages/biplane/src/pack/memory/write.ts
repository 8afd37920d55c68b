import { BiplaneError, reply, text, tool } from "@biplane/core";
import type { Reply, Tool } from "@biplane/core";
import { withFileLock, writeFile } from "../shared/files/write-file.ts";
import { fileField, memoryFile } from "./memory-file.ts";
import type { Memory } from "./pack.ts";
import { readMemory } from "./read.ts";

export function memoryWriteTool(memory: Memory): Tool {
  return tool({
    name: "memory_write",
    title: "Write memory",
    description:
      "Write a whole memory file, or append to it. " +
      "Put lasting facts into the permanent file and today's events into the note of the day.",
    input: {
      type: "object",
      required: ["content"],
      properties: {
        content: { type: "string", description: "The content, in Markdown" },
        file: fileField(memory),
        append: { type: "boolean", default: false, description: "Append instead of replacing the file" },
      },
    },
    output: {
      type: "object",
      required: ["file", "bytes", "appended"],
      properties: {
        file: { type: "string" },
        bytes: { type: "integer", description: "The new size of the file" },
        appended: { type: "boolean" },
      },
    },
    timeoutMs: 30_000,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    run: (input) => write(memory, input as WriteInput),
  });
}

type WriteInput = { readonly content: string; readonly file?: string; readonly append?: boolean };

async function write(memory: Memory, { content, file, append = false }: WriteInput): Promise<Reply> {
  const chosen = memoryFile(memory, file);
  await using location = await memory.root.find(chosen.names, { createFolders: true });
  const bytes = await withFileLock(location, async () => {
    const before = append ? ((await readMemory(memory, chosen)) ?? "") : "";
    const gap = before === "" || before.endsWith("\n") ? "" : "\n";
    const all = Buffer.from(`${before}${gap}${content}`);
    if (all.length > memory.maxBytes) throw tooLarge(chosen.file, all.length, memory.maxBytes);
    await writeFile(location, all);
    return all.length;
  });
  return reply(text(`${append ? "Appended to" : "Wrote"} ${chosen.file}`), {
    structured: { file: chosen.file, bytes, appended: append },
  });
}

function tooLarge(file: string, bytes: number, maxBytes: number): BiplaneError {
  return new BiplaneError(
    "INVALID_INPUT",
    `${file} would have ${bytes} bytes, more than the limit of ${maxBytes}. Replace it with a shorter summary.`,
  );
}
