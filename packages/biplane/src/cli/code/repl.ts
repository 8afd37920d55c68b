import { inputError } from "../command/exit-code.ts";
import { messageOf, plural } from "@biplane/core/internal";
import { cleanText } from "../terminal/clean-text.ts";
import type { History } from "../terminal/history.ts";
import { runRepl } from "../terminal/repl.ts";
import { completeLine } from "./complete-line.ts";
import { formatCodeError, formatCodeResult, formatEpisodeStatus, formatCodeValue } from "./format-result.ts";
import type { Styler } from "./format-result.ts";
import { needsMoreInput } from "./needs-more-input.ts";
import type { CodeSession } from "./session.ts";

export interface CodeReplOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly style: Styler;
  readonly history: History;
}

/** Reads, runs and prints code until the user exits. */
export async function codeRepl(session: CodeSession, options: CodeReplOptions): Promise<void> {
  const { output, style } = options;
  const { language } = session;
  const write = (text: string) => void output.write(text);
  write(
    `${cleanText(session.name)}: ${plural(session.tools.length, "tool")} as functions in ${language}. Type :help for help.\n`,
  );
  write(firstObservation(session));
  await runRepl(
    {
      prompts: ["> ", "… "],
      isUnfinished: (text) => needsMoreInput(text, language),
      complete: (line) => completeLine(line, { names: session.tools.map(({ name }) => name), language }),
      run: async (code, { signal }) => {
        const { answer, status } = await session.run(code, signal);
        write(formatCodeResult(answer, style) + formatCodeError(answer, style));
        if (!status) return;
        write(formatEpisodeStatus(status, style));
        if (status.terminated || status.truncated)
          write(`${style("The episode is over. Type :reset to start another.", "dim")}\n`);
      },
      showError: (error, isInterrupted) =>
        isInterrupted ? style("Stopped.", "dim") : style(cleanText(messageOf(error)), "red"),
      commands: {
        ":tools": () => write(session.tools.map((tool) => `${cleanText(session.signatureOf(tool))}\n`).join("")),
        ":schema": (name) => write(`${schemaOf(session, name)}\n`),
        ":reset": async () => {
          await session.reset();
          write(firstObservation(session));
        },
        ":help": () => write(help),
      },
    },
    { ...options, isTerminal: true },
  );
}

function firstObservation({ firstObservation: first }: CodeSession): string {
  return first === undefined ? "" : `${formatCodeValue(first)}\n`;
}

function schemaOf({ tools }: CodeSession, name: string): string {
  const tool = tools.find((each) => each.name === name);
  if (!tool) throw inputError(`There is no tool ${JSON.stringify(name)}. Type :tools for a list.`);
  const { description, input, output } = tool;
  const shown = { input: input.json, ...(output && { output: output.json }) };
  return cleanText(`${description ?? name}\n${JSON.stringify(shown, undefined, 2)}`);
}

const help = `Type code that calls the tools as functions. The last expression is printed. Tab completes names.
  :tools          list the tools with their signatures
  :schema name    show the input and output schema of a tool
  :reset          clear all definitions; in an environment, start a new episode
  :quit           exit, as Ctrl-D does
An open bracket or block continues on the next line; two empty lines run the input. Ctrl-C stops running code.
`;
