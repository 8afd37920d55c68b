import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { BiplaneError, messageOf } from "../errors.ts";
import { StarlarkError } from "../starlark/index.ts";
import { isUnfinished } from "./starlark-session.ts";
import type { StarlarkSession } from "./starlark-session.ts";

export interface PromptOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly errors: Writable;
  /** Whether a person types: prompts, editing and history. */
  readonly isTerminal: boolean;
  /** Lines of earlier sessions, newest first. */
  readonly history?: readonly string[];
  readonly onHistory?: (lines: readonly string[]) => void;
}

/** Reads, runs and shows until the input ends. Resolves to whether something failed. */
export async function prompt(session: StarlarkSession, options: PromptOptions): Promise<boolean> {
  const { input, output, errors, isTerminal, history = [], onHistory } = options;
  const lines = createInterface({
    input,
    terminal: isTerminal,
    prompt: isTerminal ? ">>> " : "",
    history: [...history],
    ...(isTerminal && { output }),
  });
  let unfinished: string | undefined;
  let running: AbortController | undefined;
  let hasFailed = false;
  const ask = () => {
    if (!isTerminal) return;
    lines.setPrompt(unfinished === undefined ? ">>> " : "... ");
    lines.prompt();
  };
  const interrupt = () => {
    if (running) return running.abort(new BiplaneError("CANCELLED", "interrupted"));
    if (!isTerminal) return lines.close();
    unfinished = undefined;
    output.write("\n");
    ask();
  };
  const evaluate = async (code: string) => {
    running = new AbortController();
    try {
      const print = (line: string) => void output.write(`${line}\n`);
      const shown = await session.evaluate(code, { print, signal: running.signal });
      if (shown !== undefined) output.write(`${shown}\n`);
    } catch (error) {
      hasFailed = true;
      errors.write(`${running.signal.aborted ? "interrupted" : reportOf(error)}\n`);
    } finally {
      running = undefined;
    }
  };
  if (onHistory) lines.on("history", onHistory);
  lines.on("SIGINT", interrupt);
  if (!isTerminal) process.on("SIGINT", interrupt);
  try {
    ask();
    for await (const line of lines) {
      if (unfinished === undefined && line.startsWith(":")) {
        if (line.trim() === ":quit") break;
        output.write(command(line.trim(), session));
      } else {
        const text = unfinished === undefined ? line : `${unfinished}\n${line}`;
        unfinished = isUnfinished(text) ? text : undefined;
        if (unfinished === undefined && text.trim() !== "") await evaluate(text);
      }
      ask();
    }
    if (unfinished !== undefined) await evaluate(`${unfinished}\n`);
    return hasFailed;
  } finally {
    if (!isTerminal) process.off("SIGINT", interrupt);
    lines.close();
  }
}

/** What to show of an error: for one of the program, its place and a caret under it. */
export function reportOf(error: unknown): string {
  if (!(error instanceof StarlarkError)) return messageOf(error);
  if (error.problems.length < 2) return error.report;
  const others = error.problems.map(
    ({ reason, location }) => `${location.file}:${location.line}:${location.column}: ${reason}`,
  );
  return [error.report, ...others.slice(1)].join("\n");
}

function command(word: string, session: StarlarkSession): string {
  if (word === ":reset") {
    session.reset();
    return "Everything is forgotten.\n";
  }
  return word === ":help" ? help : `There is no ${word.slice(0, 40)}; see :help\n`;
}

const help = `Type Starlark. The value of an expression is shown, and is _ from then on.
A block ends with an empty line. json, math and format are there; files, clock and network are not.

  :help    this
  :reset   forget everything that was typed
  :quit    leave; so does Ctrl-D
  Ctrl-C   stop what runs, or drop what is being typed
`;
