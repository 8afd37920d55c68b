import { messageOf } from "@biplane/core/internal";
import { StarlarkError } from "@biplane/starlark";
import { runRepl } from "../terminal/repl.ts";
import type { ReplTerminal } from "../terminal/repl.ts";
import { isUnfinished } from "./session.ts";
import type { StarlarkSession } from "./session.ts";

/** Runs until the input ends. Resolves to true if any input failed. */
export function starlarkRepl(session: StarlarkSession, terminal: ReplTerminal): Promise<boolean> {
  const print = (line: string) => void terminal.output.write(`${line}\n`);
  return runRepl(
    {
      prompts: [">>> ", "... "],
      isUnfinished,
      run: async (code, { signal }) => {
        const shown = await session.evaluate(code, { print, signal });
        if (shown !== undefined) print(shown);
      },
      showError: (error, isInterrupted) => (isInterrupted ? "Interrupted." : formatStarlarkError(error)),
      commands: {
        ":help": () => print(help),
        ":reset": () => {
          session.reset();
          print("All definitions are cleared.");
        },
      },
    },
    terminal,
  );
}

/** An error as text. A Starlark error has its source line and a caret. */
export function formatStarlarkError(error: unknown): string {
  if (!(error instanceof StarlarkError)) return messageOf(error);
  if (error.problems.length < 2) return error.report;
  const others = error.problems.map(
    ({ reason, location }) => `${location.file}:${location.line}:${location.column}: ${reason}`,
  );
  return [error.report, ...others.slice(1)].join("\n");
}

const help = `Type Starlark. The value of an expression is printed and assigned to _.
An empty line ends a block. json, math and format are available; files, clock and network are not.

  :help    show this text
  :reset   clear all definitions
  :quit    exit, as Ctrl-D does
  Ctrl-C   stop the running code, or discard the current input`;
