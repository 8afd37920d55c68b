import type { Call } from "@biplane/core";
import { findText } from "@biplane/core/internal";
import type { Turns } from "@biplane/core/internal";
import { readFolder, withFolder } from "../shared/files/list-folder.ts";
import { memoryFile, readMemory } from "./memory-file.ts";
import type { Memory } from "./memory-file.ts";

/** Finds the paragraphs that contain every word of the query. */
export async function searchMemory(
  memory: Memory,
  query: string,
  { maxResults, call, turns }: { maxResults: number; call: Pick<Call, "signal" | "redact">; turns: Turns },
) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, maxWords);
  const matches: { file: string; line: number; text: string }[] = [];
  for (const file of words.length === 0 ? [] : [...memory.files, ...(await daysOf(memory))]) {
    call.signal.throwIfAborted();
    // An unreadable file must not hide matches in the others.
    const content = await readMemory(memory, memoryFile(memory, file).names).catch(() => undefined);
    // Before the search, so that a query finds out nothing about a secret, and before excerpts are cut.
    for (const { line, text } of paragraphsOf(call.redact(content ?? ""))) {
      await turns.next();
      const folded = text.toLowerCase();
      if (!words.every((word) => findText(folded, word) >= 0)) continue;
      if (matches.push({ file, line, text: text.slice(0, maxExcerptLength) }) === maxResults) return matches;
    }
  }
  return matches;
}

const maxExcerptLength = 1000;
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
