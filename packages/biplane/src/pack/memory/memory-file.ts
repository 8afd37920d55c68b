import { BiplaneError } from "@biplane/core";
import { quote } from "../shared/files/parse-path.ts";
import type { Memory } from "./pack.ts";

/** Resolves the `file` argument: a permanent file or the note of a valid date. */
export function memoryFile({ files, today }: Memory, given = files[0] ?? ""): MemoryFile {
  if (files.includes(given)) return { file: given, names: [given] };
  const day = given === "today" ? today() : /^(?:memory\/)?(\d{4}-\d\d-\d\d)(?:\.md)?$/.exec(given)?.[1];
  if (day !== undefined && isDay(day)) return { file: `memory/${day}.md`, names: ["memory", `${day}.md`] };
  throw new BiplaneError(
    "INVALID_INPUT",
    `There is no memory file ${quote(given)}. Use ${files.join(", ")}, today, or memory/YYYY-MM-DD.md.`,
  );
}

export interface MemoryFile {
  /** Its name for agents. */
  readonly file: string;
  readonly names: readonly string[];
}

function isDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/** The `file` argument of the tools. */
export function fileField(memory: Memory): { type: "string"; default: string; description: string } {
  return {
    type: "string",
    default: memory.files[0] ?? "",
    description: `${memory.files.join(", ")}; memory/YYYY-MM-DD.md for the note of a day; or today`,
  };
}
