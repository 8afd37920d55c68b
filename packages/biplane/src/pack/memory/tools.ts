import { BiplaneError } from "@biplane/core";
import type { Tool } from "@biplane/core";
import { callerOf, Turns } from "@biplane/core/internal";
import { boolean, integer, list, object, text } from "../../schema/builders.ts";
import { withFileLock, writeFile } from "../shared/files/write-file.ts";
import { allOptional, packTool, readsLocally, textReply } from "../shared/pack-tool.ts";
import { memoryFile, readMemory } from "./memory-file.ts";
import type { Memory } from "./memory-file.ts";
import { searchMemory } from "./search-memory.ts";

export function memoryTools(memory: Memory): readonly Tool[] {
  const { files, maxBytes } = memory;
  const fileField = {
    type: "string",
    default: files[0] ?? "",
    description: `${files.join(", ")}; memory/YYYY-MM-DD.md for the note of a day; or today`,
  } as const;
  return [
    packTool({
      ...readsLocally,
      name: "memory_read",
      title: "Read memory",
      description: "Read a memory file: a permanent file or the note of a day. A missing file is empty.",
      input: allOptional({ file: fileField }),
      output: object({ file: text, content: text, exists: boolean }),
      run: async ({ file: given }) => {
        const { file, names } = memoryFile(memory, given);
        const found = await readMemory(memory, names);
        const content = found ?? "";
        return textReply(content, { file, content, exists: found !== undefined });
      },
    }),
    packTool({
      name: "memory_write",
      title: "Write memory",
      description:
        "Write a whole memory file, or append to it. " +
        "Put lasting facts into the permanent file and today's events into the note of the day.",
      input: object(
        { content: { type: "string", description: "The content, in Markdown" } },
        {
          file: fileField,
          append: { type: "boolean", default: false, description: "Append instead of replacing the file" },
        },
      ),
      output: object({
        file: text,
        bytes: { type: "integer", description: "The new size of the file" },
        appended: boolean,
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      run: async ({ content, file: given, append }) => {
        const { file, names } = memoryFile(memory, given);
        await using location = await memory.root.find(names, { createFolders: true });
        const bytes = await withFileLock(location, async () => {
          const before = append ? ((await readMemory(memory, names)) ?? "") : "";
          const gap = before === "" || before.endsWith("\n") ? "" : "\n";
          const all = Buffer.from(`${before}${gap}${content}`);
          if (all.length > maxBytes) throw tooLarge(file, all.length, maxBytes);
          await writeFile(location, all);
          return all.length;
        });
        return textReply(`${append ? "Appended to" : "Wrote"} ${file}`, { file, bytes, appended: append });
      },
    }),
    packTool({
      ...readsLocally,
      name: "memory_search",
      title: "Search memory",
      description:
        "Find memory paragraphs that contain every word of the query: permanent files first, then the newest days.",
      input: object(
        { query: { type: "string", minLength: 1, maxLength: 500 } },
        { max_results: { type: "integer", minimum: 1, maximum: 100, default: 20 } },
      ),
      output: object({ matches: list(object({ file: text, line: integer, text })) }),
      run: async ({ query, max_results: maxResults }, call) => {
        const turns = new Turns(callerOf(call.principal));
        const matches = await searchMemory(memory, query, { maxResults, call, turns });
        const lines = matches.map(({ file, line, text }) => `${file}:${line}\n${text}`);
        return textReply(lines.join("\n\n") || "No matches in memory.", { matches });
      },
    }),
  ];
}

function tooLarge(file: string, bytes: number, maxBytes: number): BiplaneError {
  return new BiplaneError(
    "INVALID_INPUT",
    `${file} would have ${bytes} bytes, more than the limit of ${maxBytes}. Replace it with a shorter summary.`,
  );
}
