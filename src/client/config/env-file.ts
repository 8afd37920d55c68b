import { constants, open } from "node:fs/promises";
import { parseEnv } from "node:util";
import type { Place } from "../../call/rules/problem.ts";
import { messageOf } from "../../errors.ts";

/** The variables in a file of lines such as `KEY=value`. What keeps it from being read is told to `place`. */
export async function readEnvFile(file: string, place: Place): Promise<Record<string, string>> {
  try {
    // Without waiting: a pipe that nobody writes to would never open.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const about = await handle.stat();
    if (!about.isFile()) throw new Error("it is not a file");
    if (about.size > mostBytes) throw new Error(`it is larger than ${mostBytes} bytes`);
    const found = Object.entries(parseEnv(await handle.readFile("utf8")));
    return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== undefined));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    place.fail(
      isMissing ? `names ${file}, which is not there` : `names ${file}, which cannot be read: ${messageOf(error)}`,
    );
    return {};
  }
}

const mostBytes = 1024 * 1024;
