import { createInterface } from "node:readline";
import type { Interface } from "node:readline";
import { BiplaneError } from "@biplane/core";
import { cleanText } from "./clean-text.ts";
import type { History } from "./history.ts";

/** What one REPL reads and runs. All of them share the editing, history, interruption and commands. */
export interface ReplDefinition {
  /** The prompts for the first line of an input and for each further one. */
  readonly prompts: readonly [first: string, further: string];
  /** Commands for the REPL itself. `:quit` is always there. */
  readonly commands: Readonly<Record<`:${string}`, (argument: string) => void | Promise<void>>>;
  isUnfinished?(input: string): boolean;
  /** The candidates for the end of a line, and the part of the line that they replace. */
  complete?(line: string): [string[], string];
  run(input: string, context: ReplContext): Promise<void>;
  showError(error: unknown, isInterrupted: boolean): string;
}

export interface ReplContext {
  /** Aborts on Ctrl-C, or when the terminal closes. */
  readonly signal: AbortSignal;
  /** Prompts for a line. Ctrl-C rejects it with `CANCELLED`. */
  readonly ask: (question: string, signal?: AbortSignal) => Promise<string>;
}

export interface ReplTerminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Default: `output`. */
  readonly errors?: NodeJS.WritableStream;
  /** Enables prompts, line editing and history. */
  readonly isTerminal: boolean;
  readonly history?: History;
}

/** Runs until the input ends. Resolves to true if any input failed. */
export async function runRepl(repl: ReplDefinition, terminal: ReplTerminal): Promise<boolean> {
  const { input, output, errors = output, isTerminal, history } = terminal;
  const known = [...Object.keys(repl.commands), ":quit"];
  const lines = createInterface({
    input,
    terminal: isTerminal,
    history: [...(history?.lines ?? [])],
    historySize: 1000,
    removeHistoryDuplicates: true,
    completer: (line: string) =>
      /^:\w*$/.test(line)
        ? [known.filter((each) => each.startsWith(line)), line]
        : (repl.complete?.(line) ?? [[], line]),
    ...(isTerminal && { output }),
  });
  let typed = history?.lines ?? [];
  let unfinished: string | undefined;
  let running: AbortController | undefined;
  let question: AbortController | undefined;
  let hasFailed = false;
  let isClosed = false;
  const prompt = () => {
    if (!isTerminal || isClosed) return;
    lines.setPrompt(repl.prompts[unfinished === undefined ? 0 : 1]);
    lines.prompt();
  };
  const interrupt = () => {
    const isRunning = question ?? running;
    if (isRunning) return isRunning.abort(new BiplaneError("CANCELLED", "Interrupted."));
    if (!isTerminal) return lines.close();
    const isEmpty = unfinished === undefined && lines.line === "";
    unfinished = undefined;
    discardLine(lines);
    output.write(isEmpty ? "\nExit with :quit or Ctrl-D.\n" : "\n");
    prompt();
  };
  const ask: ReplContext["ask"] = async (text, signal) => {
    question = new AbortController();
    try {
      const stop = signal ? AbortSignal.any([signal, question.signal]) : question.signal;
      return await askOn(lines, cleanText(text), stop);
    } finally {
      question = undefined;
    }
  };
  const attempt = async (work: (signal: AbortSignal) => void | Promise<void>) => {
    running = new AbortController();
    try {
      await work(running.signal);
    } catch (error) {
      hasFailed = true;
      if (!isClosed) errors.write(`${repl.showError(error, running.signal.aborted)}\n`);
    } finally {
      running = undefined;
    }
  };
  const evaluate = (text: string) => attempt((signal) => repl.run(text, { signal, ask }));
  lines.on("history", (now: string[]) => (typed = [...now]));
  lines.on("SIGINT", interrupt);
  if (isTerminal) {
    lines.once("close", () => {
      isClosed = true;
      running?.abort();
    });
  } else process.on("SIGINT", interrupt);
  try {
    prompt();
    for await (const line of lines) {
      if (isClosed) break;
      const [name = "", argument = ""] = line.trim().split(/\s+/, 2);
      if (unfinished === undefined && name.startsWith(":")) {
        if (name === ":quit" || name === ":q") break;
        const command = Object.hasOwn(repl.commands, name) ? repl.commands[name as `:${string}`] : undefined;
        if (command) await attempt(() => command(argument));
        else output.write(`Unknown command ${cleanText(name.slice(0, 40))}. Commands: ${known.join(", ")}.\n`);
      } else {
        const text = unfinished === undefined ? line : `${unfinished}\n${line}`;
        unfinished = repl.isUnfinished?.(text) ? text : undefined;
        if (unfinished === undefined && text.trim() !== "") await evaluate(text);
      }
      prompt();
    }
    if (unfinished !== undefined && !isClosed) await evaluate(`${unfinished}\n`);
    return hasFailed;
  } finally {
    process.off("SIGINT", interrupt);
    lines.close();
    await history?.keep(typed);
  }
}

function discardLine(lines: Interface): void {
  lines.write(null, { ctrl: true, name: "e" });
  lines.write(null, { ctrl: true, name: "u" });
}

function askOn(lines: Interface, text: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const cancel = () => reject(new BiplaneError("CANCELLED", "Nothing was entered."));
    signal.addEventListener("abort", cancel, { once: true });
    lines.once("close", cancel);
    lines.question(text, { signal }, (answer) => {
      lines.off("close", cancel);
      resolve(answer);
    });
  });
}
