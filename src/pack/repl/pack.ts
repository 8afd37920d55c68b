import { javascriptEngine } from "../../code/javascript/engine.ts";
import { pythonEngine } from "../../code/python/python-engine.ts";
import type { CodeEngine } from "../../code/engine.ts";
import { BiplaneError } from "../../errors.ts";
import type { Pack } from "../../server/pack.ts";
import type { Call } from "../../tool/call.ts";
import { reply, text } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { PerCaller } from "../caller/per-caller.ts";
import { replDefaults } from "./options.ts";
import type { ReplLanguage, ReplOptions } from "./options.ts";
import { Repl } from "./repl.ts";
import { runOutput, showRun } from "./show-run.ts";

/**
 * Python and JavaScript for an agent to compute with. What its code defines is there for its next call. The code has
 * no files, no network and no tools.
 */
export function replPack(options: ReplOptions = {}): Pack {
  const { languages, maxSessions, idleMs, ...limits } = { ...replDefaults, ...options };
  const engines = languages.map((language) => makers[language]());
  const repls = new Map(
    engines.map((engine) => {
      const open = (saved: unknown) => Repl.open(engine, { saved, limits });
      return [engine, new PerCaller<Repl>({ what: `${engine.language} sessions`, open, most: maxSessions, idleMs })];
    }),
  );
  return {
    name: "repl",
    tools: [
      ...Array.from(repls, ([engine, kept]) => runTool(engine, kept, limits.wallMs)),
      resetTool(Object.fromEntries(Array.from(repls, ([engine, kept]) => [engine.language, kept]))),
    ],
    close: async () => {
      for (const kept of repls.values()) await kept[Symbol.asyncDispose]();
      for (const engine of engines) await engine.close();
    },
  };
}

const makers: Readonly<Record<ReplLanguage, () => CodeEngine>> = {
  python: () => {
    try {
      return pythonEngine();
    } catch (cause) {
      const { message } = cause as Error;
      throw new BiplaneError("NOT_SUPPORTED", `${message}, or set languages: [javascript]`, { cause });
    }
  },
  javascript: () => javascriptEngine(),
};

function runTool(engine: CodeEngine, kept: PerCaller<Repl>, wallMs: number): Tool {
  const { name, about } = words[engine.language as ReplLanguage];
  return tool({
    name: `${engine.language}_run`,
    title: `Run ${name}`,
    description: `Run ${about}. Variables, functions and imports stay for your next call, until repl_reset. The answer is what was printed and the value of the last expression. There are no files of the machine, no network and no other programs.`,
    input: {
      type: "object",
      required: ["code"],
      properties: { code: { type: "string", description: "The code to run" } },
    },
    output: runOutput,
    timeoutMs: wallMs + queueMs,
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    run: (input, call) =>
      kept.lend(call, async (repl) => {
        const { code } = input as { code: string };
        return showRun(await repl.run(code, { signal: call.signal, wallMs }));
      }),
  });
}

/** How long a caller's code may wait for its code before. */
const queueMs = 60_000;

const words: Readonly<Record<ReplLanguage, { name: string; about: string }>> = {
  python: { name: "Python", about: "Python 3.12 with its standard library" },
  javascript: { name: "JavaScript", about: "modern JavaScript (or TypeScript, whose types are ignored)" },
};

function resetTool(kept: Readonly<Record<string, PerCaller<Repl>>>): Tool {
  const languages = Object.keys(kept);
  const drop = async (call: Call, language: string): Promise<string[]> =>
    (await kept[language]?.drop(call)) ? [language] : [];
  return tool({
    name: "repl_reset",
    title: "Start afresh",
    description: "Forget what your code has defined, and end what it still does.",
    input: {
      type: "object",
      properties: { language: { enum: languages, description: "Left out: all of them" } },
    },
    output: {
      type: "object",
      required: ["reset"],
      properties: { reset: { type: "array", items: { enum: languages } } },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    run: async (input, call) => {
      const { language } = input as { language?: string };
      const wanted = language === undefined ? languages : [language];
      const reset = (await Promise.all(wanted.map((each) => drop(call, each)))).flat();
      return reply(text(reset.length === 0 ? "There was nothing to forget" : `Forgot ${reset.join(" and ")}`), {
        structured: { reset },
      });
    },
  });
}
