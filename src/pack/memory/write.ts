import { BiplaneError } from "../../errors.ts";
import { reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { inTurn, writeFile } from "../files/write-file.ts";
import { fileField, memoryFile } from "./memory-file.ts";
import type { Memory } from "./pack.ts";
import { readMemory } from "./read.ts";

export function writeTool(memory: Memory): Tool {
  return tool({
    name: "memory_write",
    title: "Write memory",
    description:
      "Remember something: write a whole memory file, or add to its end with append. " +
      "What should last goes into the lasting file, what happened today into the notes of the day.",
    input: {
      type: "object",
      required: ["content"],
      properties: {
        content: { type: "string", description: "What to remember, in Markdown" },
        file: fileField(memory),
        append: { type: "boolean", default: false, description: "Add to the end instead of replacing the file" },
      },
    },
    output: {
      type: "object",
      required: ["file", "bytes", "appended"],
      properties: {
        file: { type: "string" },
        bytes: { type: "integer", description: "How large the file is now" },
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
  await using place = await memory.root.find(chosen.names, { createFolders: true });
  const bytes = await inTurn(place, async () => {
    const before = append ? ((await readMemory(memory, chosen)) ?? "") : "";
    const gap = before === "" || before.endsWith("\n") ? "" : "\n";
    const all = Buffer.from(`${before}${gap}${content}`);
    if (all.length > memory.maxBytes) throw tooLarge(chosen.file, all.length, memory.maxBytes);
    await writeFile(place, all);
    return all.length;
  });
  return reply(text(`${append ? "Added to" : "Wrote"} ${chosen.file}`), {
    structured: { file: chosen.file, bytes, appended: append },
  });
}

function tooLarge(file: string, bytes: number, maxBytes: number): BiplaneError {
  return new BiplaneError(
    "INVALID_INPUT",
    `${file} would have ${bytes} bytes, and a memory file may have ${maxBytes}: write a shorter summary in its place`,
  );
}
