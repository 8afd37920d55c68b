import { execFile } from "node:child_process";
// It keeps the folder in which it is loaded, and `runIn` goes to folders that are deleted later.
import "esbuild";
import { vi } from "vitest";
import { exitCodeOf } from "../../packages/biplane/src/cli/command/exit-code.ts";
import { runCli } from "../../packages/biplane/src/cli/command/run-cli.ts";
import { cleanText } from "../../packages/biplane/src/cli/terminal/clean-text.ts";
import { explainError } from "../../packages/biplane/src/cli/terminal/explain-error.ts";
import { program } from "../support/project.ts";

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How to start `biplane …words`, as it is built. */
export function commandLine(...words: string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [program, ...words] };
}

/** Runs it to its end. */
export function runBiplane(...words: string[]): Promise<Ended> {
  const { command, args } = commandLine(...words);
  return new Promise((resolve) => {
    const started = execFile(command, args, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
    started.stdin?.end();
  });
}

/** Runs it here, which is quicker: for servers that are reached by a URL. */
export async function runHere(...words: string[]): Promise<Ended> {
  const out = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const err = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const before = process.exitCode;
  const written = (spy: typeof out) => spy.mock.calls.map(([text]) => String(text)).join("");
  try {
    await runCli(words);
    return { code: Number(process.exitCode ?? 0), stdout: written(out), stderr: written(err) };
  } catch (error) {
    const message = `biplane: ${cleanText(explainError(error))}\n`;
    return { code: exitCodeOf(error), stdout: written(out), stderr: written(err) + message };
  } finally {
    process.exitCode = before;
    out.mockRestore();
    err.mockRestore();
  }
}

/** Runs it here as if it were started in a folder, with variables that are added or, if undefined, left out. */
export async function runIn(folder: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const before = { folder: process.cwd(), env: { ...process.env } };
  process.chdir(folder);
  for (const [name, value] of Object.entries(env)) setVariable(name, value);
  try {
    return await runHere(...words);
  } finally {
    for (const name of Object.keys(env)) setVariable(name, before.env[name]);
    process.chdir(before.folder);
  }
}

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
