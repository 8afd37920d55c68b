import { reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { entriesOf, withFolder } from "../files/list-folder.ts";
import { memoryFile } from "./memory-file.ts";
import type { Memory } from "./pack.ts";
import { readMemory } from "./read.ts";

export function searchTool(memory: Memory): Tool {
  return tool({
    name: "memory_search",
    title: "Search memory",
    description:
      "Find the paragraphs of the memory that hold every word of the query; lasting files first, then the newest days.",
    input: {
      type: "object",
      required: ["query"],
      properties: {
        query: { type: "string", minLength: 1, maxLength: 500 },
        max_results: { type: "integer", minimum: 1, maximum: 100, default: 20 },
      },
    },
    output: {
      type: "object",
      required: ["matches"],
      properties: {
        matches: {
          type: "array",
          items: {
            type: "object",
            required: ["file", "line", "text"],
            properties: { file: { type: "string" }, line: { type: "integer" }, text: { type: "string" } },
          },
        },
      },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: (input, call) => search(memory, { ...(input as SearchInput), signal: call.signal }),
  });
}

type SearchInput = { readonly query: string; readonly max_results?: number };
type Match = { readonly file: string; readonly line: number; readonly text: string };

const longestExcerpt = 1000;

async function search(memory: Memory, input: SearchInput & { signal: AbortSignal }): Promise<Reply> {
  const { query, max_results: most = 20, signal } = input;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matches: Match[] = [];
  for (const file of [...memory.files, ...(await daysOf(memory))]) {
    signal.throwIfAborted();
    if (matches.length >= most || words.length === 0) break;
    // A file that cannot be read must not hide what is in the others.
    const content = await readMemory(memory, memoryFile(memory, file)).catch(() => undefined);
    if (content !== undefined) matches.push(...paragraphsWith(content, words).map((found) => ({ file, ...found })));
  }
  const shown = matches.slice(0, most);
  const lines = shown.map(({ file, line, text }) => `${file}:${line}\n${text}`);
  return reply(text(lines.join("\n\n") || "Nothing is remembered about that"), { structured: { matches: shown } });
}

/** The notes of days, newest first. */
async function daysOf(memory: Memory): Promise<string[]> {
  await using place = await memory.root.find(["memory"]);
  if (!place.stats?.isDirectory()) return [];
  const { entries } = await withFolder(place, (folder) => entriesOf(memory.root, folder, 10_000));
  const days = entries.filter(({ name, type }) => type === "file" && /^\d{4}-\d\d-\d\d\.md$/.test(name));
  return days.map(({ name }) => `memory/${name}`).reverse();
}

function paragraphsWith(content: string, words: readonly string[]): Omit<Match, "file">[] {
  const found: Omit<Match, "file">[] = [];
  let line = 1;
  for (const paragraph of content.split(/(?<=\n)[ \t]*\n/)) {
    const folded = paragraph.toLowerCase();
    if (words.every((word) => folded.includes(word))) {
      const blank = /^\s*/.exec(paragraph)?.[0] ?? "";
      found.push({ line: line + blank.split("\n").length - 1, text: paragraph.trim().slice(0, longestExcerpt) });
    }
    line += paragraph.split("\n").length - 1 + 1;
  }
  return found;
}
