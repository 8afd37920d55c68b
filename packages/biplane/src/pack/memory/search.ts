import { reply, text, tool } from "@biplane/core";
import type { Reply, Tool } from "@biplane/core";
import { findText, Turns } from "@biplane/core/internal";
import { readFolder, withFolder } from "../shared/files/list-folder.ts";
import { memoryFile } from "./memory-file.ts";
import type { Memory } from "./pack.ts";
import { readMemory } from "./read.ts";

export function memorySearchTool(memory: Memory): Tool {
  return tool({
    name: "memory_search",
    title: "Search memory",
    description:
      "Find memory paragraphs that contain every word of the query: permanent files first, then the newest days.",
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

const maxExcerptLength = 1000;

async function search(memory: Memory, input: SearchInput & { signal: AbortSignal }): Promise<Reply> {
  const { query, max_results: maxResults = 20, signal } = input;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, maxWords);
  const matches: Match[] = [];
  const turns = new Turns();
  for (const file of words.length === 0 ? [] : [...memory.files, ...(await daysOf(memory))]) {
    signal.throwIfAborted();
    if (matches.length === maxResults) break;
    // An unreadable file must not hide matches in the others.
    const content = await readMemory(memory, memoryFile(memory, file)).catch(() => undefined);
    for (const { line, text } of paragraphsOf(content ?? "")) {
      if (matches.length === maxResults) break;
      await turns.next();
      const folded = text.toLowerCase();
      if (words.every((word) => findText(folded, word) >= 0))
        matches.push({ file, line, text: text.slice(0, maxExcerptLength) });
    }
  }
  const lines = matches.map(({ file, line, text }) => `${file}:${line}\n${text}`);
  return reply(text(lines.join("\n\n") || "No matches in memory."), { structured: { matches } });
}

const maxWords = 20;

/** Daily notes, newest first. */
async function daysOf(memory: Memory): Promise<string[]> {
  await using location = await memory.root.find(["memory"]);
  if (!location.stats?.isDirectory()) return [];
  const { entries } = await withFolder(location, (folder) => readFolder(memory.root, folder, 10_000));
  const days = entries.filter(({ name, type }) => type === "file" && /^\d{4}-\d\d-\d\d\.md$/.test(name));
  return days.map(({ name }) => `memory/${name}`).reverse();
}

/** The parts of a text between blank lines, with the number of their first line. An empty one now and then. */
function* paragraphsOf(content: string): Generator<{ line: number; text: string }> {
  let [line, start] = [1, -1];
  let [number, from] = [1, 0];
  for (; from <= content.length; number++) {
    const end = content.indexOf("\n", from);
    const to = end < 0 ? content.length : end;
    const isBlank = content.slice(from, to).trim() === "";
    if (isBlank && start >= 0) {
      yield { line, text: content.slice(start, from).trim() };
      start = -1;
    } else if (!isBlank && start < 0) [line, start] = [number, from];
    from = to + 1;
    if (number % 1000 === 0) yield { line: number, text: "" }; // so that there is a turn among many blank lines
  }
  if (start >= 0) yield { line, text: content.slice(start).trim() };
}
