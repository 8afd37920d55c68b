import { spawnSync } from "node:child_process";
import type { SpawnSyncOptions } from "node:child_process";

/**
 * Why `<program> --version` fails here, or undefined if it does not. A program can be installed and still not run: a
 * library is missing, it is a stub that asks you to install the real one, or it is built for another machine.
 */
export function tryProgram(path: string, options: SpawnSyncOptions = {}): string | undefined {
  const { error, signal, status, stderr } = spawnSync(path, ["--version"], {
    timeout: 60_000,
    ...options,
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (error) return isMissing(error) ? "not found" : `does not run: ${error.message}`;
  if (signal) return `does not run: ended by ${signal}`;
  return status === 0 ? undefined : `does not run: ${firstLine(String(stderr)) || `exit code ${status}`}`;
}

function isMissing(error: NodeJS.ErrnoException): boolean {
  return error.code === "ENOENT";
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}
