import { constants, open } from "node:fs/promises";
import { parseEnv } from "node:util";
import type { DocumentCursor } from "../../call/rules/problem.ts";
import { messageOf } from "../../errors.ts";

/** Reads a file of `KEY=value` lines. Problems are reported to `place`. */
export async function readEnvFile(file: string, place: DocumentCursor): Promise<Record<string, string>> {
  try {
    // Non-blocking, because opening a named pipe without a writer would wait forever.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await handle.stat();
    if (!stat.isFile()) throw new Error("it is not a file");
    if (stat.size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    const found = Object.entries(parseEnv(await handle.readFile("utf8")));
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
