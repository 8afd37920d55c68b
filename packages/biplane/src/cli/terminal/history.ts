import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** Typed lines, newest first, kept between sessions. */
export interface History {
  readonly lines: readonly string[];
  keep(lines: readonly string[]): Promise<void>;
}

/** Opens a history file, which only its owner may read. Failing to read or save it is not an error. */
export async function openHistory(file: string): Promise<History> {
  const text = await readFile(file, "utf8").catch(() => "");
  return {
    lines: text.split("\n").filter(Boolean).toReversed(),
    keep: async (lines) => {
      const fresh = `${file}.${process.pid}.new`;
      try {
        await mkdir(dirname(file), { recursive: true });
        await writeFile(fresh, lines.slice(0, maxLines).toReversed().join("\n"), { mode: 0o600 });
        await rename(fresh, file);
      } catch {
        // The next session starts without history.
      }
    },
  };
}

const maxLines = 1000;

/** The history file of a command. */
export function historyFile(command: string): string {
  const { XDG_STATE_HOME: state } = process.env;
  return join(state || join(homedir(), ".local", "state"), "biplane", `${command}-history`);
}
