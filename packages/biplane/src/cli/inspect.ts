import { command, toggle } from "./command/define.ts";
import { inspectRepl } from "./inspect/inspect-repl.ts";
import { summary } from "./inspect/summary.ts";
import { connectOptions, connectArgs } from "./target/connect-args.ts";
import { openTarget } from "./target/open-target.ts";
import { splitTarget } from "./target/read-target.ts";
import { targetArg } from "./target/target-arg.ts";
import { terminalAnswers } from "./target/terminal-answers.ts";
import { askLine } from "./terminal/ask-line.ts";
import { historyFile, openHistory } from "./terminal/history.ts";
import type { ReplContext } from "./terminal/repl.ts";

/** `biplane inspect <target>`: list and try tools, resources and prompts in the terminal. */
export const inspectCommand = command("Browse the tools, resources and prompts of any MCP server, and try them", {
  args: {
    target: targetArg,
    ...connectArgs,
    print: toggle("Print a list and exit, as without a terminal"),
  },
  run: async ({ args, rawArgs }) => {
    const { target } = splitTarget(args._, rawArgs);
    const { stdin: input, stdout: output } = process;
    const isPrinted = args.print || !input.isTTY || !output.isTTY;
    let context: ReplContext | undefined;
    const ask = (question: string, signal?: AbortSignal) =>
      context ? context.ask(question, signal) : askLine(question, signal);
    const answers = isPrinted ? {} : terminalAnswers(ask);
    await using open = await openTarget(target, { ...connectOptions(args), answers });
    if (isPrinted) return void output.write(`${await summary(open.client)}\n`);
    const history = await openHistory(historyFile("inspect"));
    const onContext = (current: ReplContext) => (context = current);
    await inspectRepl(open.client, { input, output, isTerminal: true, history, onContext });
  },
});
