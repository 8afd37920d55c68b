import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { defineCommand } from "citty";
import { BiplaneError, messageOf } from "../errors.ts";
import { prompt, reportOf } from "./starlark-prompt.ts";
import { StarlarkSession } from "./starlark-session.ts";

/** `biplane starlark`: a prompt for the language of scripts; runs a file, or code given with -c. */
export const starlarkCommand = defineCommand({
  meta: { name: "starlark", description: "Try Starlark: a prompt, a file, or code given with -c" },
  args: {
    file: { type: "positional", description: "A .star file to run", required: false },
    code: { type: "string", alias: "c", description: "Code to run instead; its last expression is shown" },
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
      } else if (await converse(session)) {
        if (!process.stdin.isTTY) process.exitCode = 1;
      }
    } catch (error) {
      process.stderr.write(`${reportOf(error)}\n`);
      process.exitCode = 1;
    }
  },
});

async function runFile(session: StarlarkSession, file: string, print: (line: string) => void): Promise<void> {
  const read = async (path: string) => {
    try {
      return await readFile(path, "utf8");
    } catch (error) {
      throw new BiplaneError("INVALID_INPUT", `cannot read ${path}: ${messageOf(error)}`);
    }
  };
  const load = (module: string) => read(resolve(dirname(file), module));
  await session.runFile(file, await read(file), { print, load });
}

async function converse(session: StarlarkSession): Promise<boolean> {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const common = { input: process.stdin, output: process.stdout, errors: process.stderr, isTerminal };
  if (!isTerminal) return prompt(session, common);
  process.stdout.write("Starlark. :help says what can be done here; Ctrl-D ends it.\n");
  let typed: readonly string[] = await readHistory();
  const onHistory = (lines: readonly string[]) => void (typed = lines);
  const hasFailed = await prompt(session, { ...common, history: typed, onHistory });
  await writeHistory(typed);
  return hasFailed;
}

const historyFile = join(process.env["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state"), "biplane", "starlark");
const mostHistory = 500;

async function readHistory(): Promise<string[]> {
  const text = await readFile(historyFile, "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

/** A place that cannot be written costs the history, not the session. */
async function writeHistory(lines: readonly string[]): Promise<void> {
  try {
    await mkdir(dirname(historyFile), { recursive: true });
    await writeFile(historyFile, `${lines.slice(0, mostHistory).join("\n")}\n`, { mode: 0o600 });
  } catch (error) {
    process.stderr.write(`biplane: the history was not kept: ${messageOf(error)}\n`);
  }
}
