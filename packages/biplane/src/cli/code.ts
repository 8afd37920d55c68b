import { command, count, oneOf, option } from "./command/define.ts";
import { text as readAll } from "node:stream/consumers";
import type { CodeEngine, Language } from "../code/engine.ts";
import { codeRepl } from "./code/repl.ts";
import { openCodeSession } from "./code/session.ts";
import type { CodeSession } from "./code/session.ts";
import { formatCodeError, formatCodeResult, formatEpisodeStatus } from "./code/format-result.ts";
import { openServed } from "./target/open-served.ts";
import { splitTarget } from "./target/read-target.ts";
import { targetArg } from "./target/target-arg.ts";
import { connectOptions, connectArgs } from "./target/connect-args.ts";
import { historyFile, openHistory } from "./terminal/history.ts";
import { interruptSignal } from "./terminal/interrupt.ts";
import { styler } from "./terminal/style.ts";

/** `biplane code taxi`: a REPL in which tools are functions; `-c` and piped input run once. */
export const codeCommand = command(
  "Run code that calls tools as functions: in a REPL, with -c, or from standard input",
  {
    args: {
      target: targetArg,
      language: option("javascript, python or starlark", {
        takes: oneOf("javascript", "python", "starlark"),
        default: "javascript",
      }),
      code: option("Run this code and exit", { alias: "c" }),
      seed: option("For an environment: the seed of the first episode (default: random)", { takes: count }),
      ...connectArgs,
    },
    run: async ({ args, rawArgs }) => {
      const { target: written } = splitTarget(args._, rawArgs);
      const seed = args.seed === undefined ? undefined : Number(args.seed);
      await using engine = await engines[args.language as Language]();
      await using target = await openServed(written, connectOptions(args));
      await using session = await openCodeSession({ target, engine, seed });
      const code = args.code ?? (process.stdin.isTTY ? undefined : await readAll(process.stdin));
      if (code !== undefined) return await runOnce(session, code);
      const style = styler(process.stdout);
      const history = await openHistory(historyFile("code"));
      await codeRepl(session, { input: process.stdin, output: process.stdout, style, history });
    },
  },
);

const engines: Record<Language, () => Promise<CodeEngine>> = {
  javascript: async () => (await import("../code/javascript/engine.ts")).javascriptEngine({ workers: 1 }),
  python: async () => (await import("../code/python/engine.ts")).pythonEngine({ warm: 0 }),
  starlark: async () => (await import("../code/starlark/engine.ts")).starlarkEngine({ workers: 1 }),
};

/** Output and result go to standard output, errors to standard error. */
async function runOnce(session: CodeSession, code: string): Promise<void> {
  using interrupt = interruptSignal();
  const { answer, status } = await session.run(code, interrupt.signal);
  const style = styler(process.stdout);
  process.stdout.write(formatCodeResult(answer, style) + (status ? formatEpisodeStatus(status, style) : ""));
  process.stderr.write(formatCodeError(answer, styler(process.stderr)));
  if (answer.error) process.exitCode = 1;
}
