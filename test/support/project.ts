import { execFile } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** The program as it is built. */
export const program = join(root, "packages", "biplane", "bin", "biplane.mjs");

/** Does for a new project what `npm install` would, with the packages that are here. */
export async function linkPackages(folder: string): Promise<void> {
  const modules = join(folder, "node_modules");
  const links: Record<string, string> = { biplane: join(root, "packages", "biplane"), ".bin/biplane": program };
  for (const name of ["zod", "tsx", "typescript", "esbuild", "@types/node"])
    links[name] = join(root, "node_modules", name);
  for (const [name, target] of Object.entries(links)) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(target, join(modules, name));
  }
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** How long it may run (default: 30,000). */
  readonly timeoutMs?: number;
  /** Who runs it, where another than this user can be asked to. */
  readonly uid?: number;
}

/** Runs `biplane …words` to its end, without a terminal. */
export function biplane(words: readonly string[], { cwd, env = {}, input = "", ...rest }: RunOptions): Promise<Ended> {
  return runToEnd(process.execPath, [program, ...words], { cwd, env, input, ...rest });
}

/** Runs anything to its end. */
export function runToEnd(command: string, words: readonly string[], options: RunOptions): Promise<Ended> {
  const { cwd, env = {}, input = "", timeoutMs = 30_000, uid } = options;
  return new Promise((resolve) => {
    const settings = {
      cwd,
      env: { ...process.env, ...env },
      timeout: timeoutMs,
      ...(uid !== undefined && { uid, gid: uid }),
    };
    const child = execFile(command, [...words], settings, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
    );
    child.stdin?.on("error", () => undefined); // it may have ended before it read
    child.stdin?.end(input);
  });
}
