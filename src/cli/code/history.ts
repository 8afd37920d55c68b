import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** The lines a person typed, newest first, from one REPL to the next. */
export interface History {
  readonly lines: readonly string[];
  keep(lines: readonly string[]): Promise<void>;
}

/** Reads the history file, which only its owner may read. A history that cannot be read or kept is no reason to stop. */
export async function openHistory(file = usualFile()): Promise<History> {
  const text = await readFile(file, "utf8").catch(() => "");
  return {
    lines: text.split("\n").filter(Boolean).toReversed(),
    keep: async (lines) => {
      const fresh = `${file}.${process.pid}.new`;
      try {
        await mkdir(dirname(file), { recursive: true });
        await writeFile(fresh, lines.slice(0, most).toReversed().join("\n"), { mode: 0o600 });
        await rename(fresh, file);
      } catch {
        // The next REPL begins without it.
      }
    },
  };
}

const most = 1000;

function usualFile(): string {
  const { XDG_STATE_HOME: state } = process.env;
  return join(state || join(homedir(), ".local", "state"), "biplane", "code-history");
}
