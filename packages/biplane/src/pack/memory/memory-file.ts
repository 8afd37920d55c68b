import { BiplaneError } from "@biplane/core";
import { quote } from "../shared/files/parse-path.ts";
import { readFile } from "../shared/files/read-file.ts";
import type { Root } from "../shared/files/root.ts";

/** Shared by the tools of this pack. */
export interface Memory {
  readonly root: Root;
  readonly files: readonly string[];
  readonly maxBytes: number;
  /** As YYYY-MM-DD. */
  readonly today: () => string;
}

/** Resolves the `file` argument: a permanent file or the note of a valid date. `file` is its name for agents. */
export function memoryFile({ files, today }: Memory, given: string): { file: string; names: readonly string[] } {
  if (files.includes(given)) return { file: given, names: [given] };
  const day = given === "today" ? today() : /^(?:memory\/)?(\d{4}-\d\d-\d\d)(?:\.md)?$/.exec(given)?.[1];
  if (day !== undefined && isDay(day)) return { file: `memory/${day}.md`, names: ["memory", `${day}.md`] };
  throw new BiplaneError(
    "INVALID_INPUT",
    `There is no memory file ${quote(given)}. Use ${files.join(", ")}, today, or memory/YYYY-MM-DD.md.`,
  );
}

function isDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/** The content of a memory file. Undefined if it does not exist. */
export async function readMemory({ root, maxBytes }: Memory, names: readonly string[]): Promise<string | undefined> {
  await using first = await root.find(names.slice(0, 1));
  if (!first.stats) return undefined;
  await using location = await root.find(names);
  return location.stats ? (await readFile(location, maxBytes)).toString("utf8") : undefined;
}
