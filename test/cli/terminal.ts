import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export interface Step {
  /** Waits until this is on the screen. */
  readonly see: string;
  /** Then types this. */
  readonly type?: string;
  readonly signal?: string;
}

export interface TerminalOptions {
  readonly rows?: number;
  readonly columns?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a program in a real pseudo-terminal, step by step. */
export async function inTerminal(
  program: { readonly command: string; readonly args: readonly string[] },
  steps: readonly Step[],
  { rows = 24, columns = 80, environment = {} }: TerminalOptions = {},
): Promise<{ code: number; frames: string[]; output: string }> {
  const file = fileURLToPath(new URL("terminal.py", import.meta.url));
  const plan = { ...program, steps, rows, columns, environment: { TERM: "xterm", ...environment }, seconds: 15 };
  const { stdout } = await promisify(execFile)("python3", [file, JSON.stringify(plan)], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout) as { code: number; frames: string[]; output: string };
}

export const keys = {
  enter: "\r",
  down: "\u001B[B",
  up: "\u001B[A",
  right: "\u001B[C",
  escape: "\u001B",
  tab: "\t",
  interrupt: "\u0003",
  /** Ctrl-D. */
  end: "\u0004",
};
