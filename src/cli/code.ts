import { text as readAll } from "node:stream/consumers";
import { defineCommand } from "citty";
import type { CodeEngine, Language } from "../code/engine.ts";
import { BiplaneError } from "../errors.ts";
import { openHistory } from "./code/history.ts";
import { openCodeTarget, openPack } from "./code/open-code-target.ts";
import { repl } from "./code/repl.ts";
import { openSession } from "./code/session.ts";
import type { CodeSession } from "./code/session.ts";
import { shownError, shownResult, shownStanding } from "./code/shown.ts";
import { readWords } from "./target/read-target.ts";
import { connectOptions, targetArgs } from "./target/target-args.ts";
import { friendly } from "./terminal/friendly.ts";
import { styler } from "./terminal/style.ts";

/** `biplane code taxi`: writes code against tools, in a terminal; `-c` and piped input run once. */
export const codeCommand = defineCommand({
  meta: { name: "code", description: "Run code with a target's tools as functions: a REPL, -c, or piped input" },
  args: {
    target: {
      type: "positional",
      description:
        "A URL, config.json#name, a .ts file, a name of the gallery, a pack (workspace=./notes), or a command after --",
      required: false,
    },
    language: { type: "string", description: "javascript, python or starlark", default: "javascript" },
    code: { type: "string", alias: "c", description: "Run this and leave" },
    seed: { type: "string", description: "In an environment: the seed of its first episode" },
    ...targetArgs,
  },
  run: ({ args, rawArgs }) =>
    friendly(async () => {
      await using engine = await openEngine(args.language);
      const seed = seedOf(args.seed);
      const pack = rawArgs.includes("--") || args.target === undefined ? undefined : await openPack(args.target);
      const target = pack ?? (await openCodeTarget(readWords(args._, rawArgs).target, connectOptions(args)));
      await using _ = target;
      await using session = await openSession({ target, engine, seed });
      const code = args.code ?? (process.stdin.isTTY ? undefined : await readAll(process.stdin));
      if (code !== undefined) return await runOnce(session, code);
      const style = styler(process.stdout);
      await repl(session, { input: process.stdin, output: process.stdout, style, history: await openHistory() });
    }),
});

async function openEngine(language: string): Promise<CodeEngine> {
  const open = Object.hasOwn(engines, language) ? engines[language as Language] : undefined;
  if (open) return open();
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `there is no language ${JSON.stringify(language)}; there are ${Object.keys(engines).join(", ")}`,
  );
}

const engines: Record<Language, () => Promise<CodeEngine>> = {
  javascript: async () => (await import("../code/javascript/engine.ts")).javascriptEngine({ workers: 1 }),
  python: async () => (await import("../code/python/python-engine.ts")).pythonEngine({ warm: 0 }),
  starlark: async () => (await import("../code/starlark/engine.ts")).starlarkEngine({ workers: 1 }),
};

function seedOf(text: string | undefined): number | undefined {
  if (text === undefined || /^\d{1,15}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new BiplaneError("INVALID_DEFINITION", `--seed must be a whole number, not ${text}`);
}

/** What was printed and the result go to standard output, what went wrong to standard error. */
async function runOnce(session: CodeSession, code: string): Promise<void> {
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.once("SIGINT", onInterrupt);
  try {
    const { answer, standing } = await session.run(code, stop.signal);
    const style = styler(process.stdout);
    process.stdout.write(shownResult(answer, style) + (standing ? shownStanding(standing, style) : ""));
    process.stderr.write(shownError(answer, styler(process.stderr)));
    if (answer.error) process.exitCode = 1;
  } finally {
    process.off("SIGINT", onInterrupt);
  }
}
