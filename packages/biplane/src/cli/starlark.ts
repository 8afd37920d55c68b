import { inputError } from "./command/exit-code.ts";
import { argument, command, file, option } from "./command/define.ts";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { messageOf } from "@biplane/core/internal";
import { starlarkRepl, formatStarlarkError } from "./starlark/repl.ts";
import { StarlarkSession } from "./starlark/session.ts";
import { historyFile, openHistory } from "./terminal/history.ts";

/** `biplane starlark`: a REPL; runs a file or `-c` code instead if given. */
export const starlarkCommand = command("Run Starlark: in a REPL, from a file, or with -c", {
  args: {
    file: argument("A .star file to run", { takes: file, required: false }),
    code: option("Run this code and print its last expression", { alias: "c" }),
  },
  run: async ({ args }) => {
    await using session = new StarlarkSession();
    const print = (line: string) => void process.stdout.write(`${line}\n`);
    try {
      if (args.code !== undefined) {
        const shown = await session.evaluate(args.code, { print });
        if (shown !== undefined) print(shown);
      } else if (args.file !== undefined) {
        await runFile(session, args.file, print);
      } else if (await runPrompt(session)) {
        if (!process.stdin.isTTY) process.exitCode = 1;
      }
    } catch (error) {
      process.stderr.write(`${formatStarlarkError(error)}\n`);
      process.exitCode = 1;
    }
  },
});

async function runFile(session: StarlarkSession, file: string, print: (line: string) => void): Promise<void> {
  const read = async (path: string) => {
    try {
      return await readFile(path, "utf8");
    } catch (error) {
      throw inputError(`Reading ${path} failed: ${messageOf(error)}`);
    }
  };
  const load = (module: string) => read(resolve(dirname(file), module));
  await session.runFile(file, await read(file), { print, load });
}

async function runPrompt(session: StarlarkSession): Promise<boolean> {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const common = { input: process.stdin, output: process.stdout, errors: process.stderr, isTerminal };
  if (!isTerminal) return starlarkRepl(session, common);
  process.stdout.write("Starlark. Type :help for help, Ctrl-D to exit.\n");
  return starlarkRepl(session, { ...common, history: await openHistory(historyFile("starlark")) });
}
