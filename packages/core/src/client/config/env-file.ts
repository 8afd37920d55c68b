import { parseEnv } from "node:util";
import type { DocumentCursor } from "../../call/rules/problem.ts";
import { messageOf } from "../../errors.ts";
import { readBoundedFile } from "./read-file.ts";

/** Reads a file of `KEY=value` lines. Problems are reported to `place`. */
export async function readEnvFile(file: string, place: DocumentCursor): Promise<Record<string, string>> {
  try {
    const found = Object.entries(parseEnv(String(await readBoundedFile(file, { maxBytes }))));
    return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== undefined));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    place.fail(
      isMissing ? `names ${file}, which does not exist` : `names ${file}, which cannot be read: ${messageOf(error)}`,
    );
    return {};
  }
}

const maxBytes = 1024 * 1024;
