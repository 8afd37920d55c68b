import { javascriptEngine } from "../../code/javascript/engine.ts";
import { pythonEngine } from "../../code/python/engine.ts";
import type { CodeEngine } from "../../code/engine.ts";
import { BiplaneError } from "@biplane/core";
import type { Call, Pack, Tool } from "@biplane/core";
import { list, object } from "../../schema/builders.ts";
import { PerCaller } from "../shared/caller/per-caller.ts";
import { replOptions } from "./options.ts";
import type { ReplLanguage, ReplPackOptions } from "./options.ts";
import { readOptions } from "../shared/options.ts";
import { allOptional, packTool, textReply } from "../shared/pack-tool.ts";
import { openRepl } from "./repl.ts";
import type { ReplSession } from "./repl.ts";
import { runOutput, showRun } from "./show-run.ts";

/** Python and JavaScript REPLs for agents. State is kept between calls. Code has no files, network or tools. */
export function replPack(options: ReplPackOptions = {}): Pack {
  const { languages, maxSessions, idleMs, ...limits } = readOptions(options, { pack: "replPack", schema: replOptions });
  const engines = languages.map((language) => engineFactories[language]());
  const repls = new Map(
    engines.map((engine) => {
      const open = (saved: unknown, caller: string | undefined) => openRepl(engine, { saved, limits, caller });
      return [
        engine,
        new PerCaller<ReplSession>({ what: `${engine.language} sessions`, open, maxEntries: maxSessions, idleMs }),
      ];
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

const engineFactories: Readonly<Record<ReplLanguage, () => CodeEngine>> = {
  python: () => {
    try {
      return pythonEngine();
    } catch (cause) {
      const { message } = cause as Error;
      throw new BiplaneError("NOT_SUPPORTED", `${message} Or set languages: [javascript].`, { cause });
    }
  },
  javascript: () => javascriptEngine(),
};

function runTool(engine: CodeEngine, kept: PerCaller<ReplSession>, wallMs: number): Tool {
  const { name, about } = labels[engine.language as ReplLanguage];
  return packTool({
    name: `${engine.language}_run`,
    title: `Run ${name}`,
    description: `Run ${about}. Variables, functions and imports are kept for your next call, until repl_reset. Returns the printed output and the value of the last expression. Code cannot access the machine's files, the network or other programs.`,
    input: object({ code: { type: "string", description: "The code to run" } }),
    output: runOutput,
    timeoutMs: wallMs + queueMs,
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    run: ({ code }, call) =>
      kept.use(call, async (repl) => showRun(await repl.run(code, { signal: call.signal, wallMs }))),
  });
}

/** How long a run can wait for an earlier run of the same caller. */
const queueMs = 60_000;

const labels: Readonly<Record<ReplLanguage, { name: string; about: string }>> = {
  python: { name: "Python", about: "Python 3.12 with its standard library" },
  javascript: { name: "JavaScript", about: "modern JavaScript (or TypeScript, whose types are ignored)" },
};

function resetTool(kept: Readonly<Record<string, PerCaller<ReplSession>>>): Tool {
  const languages = Object.keys(kept);
  const drop = async (call: Call, language: string): Promise<string[]> =>
    (await kept[language]?.drop(call)) ? [language] : [];
  return packTool({
    name: "repl_reset",
    title: "Reset the session",
    description: "Delete everything your code has defined, and stop code that still runs.",
    input: allOptional({ language: { enum: languages, description: "The language to reset (default: all)" } }),
    output: object({ reset: list({ enum: languages }) }),
    idempotent: true,
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    run: async ({ language }, call) => {
      const wanted = language === undefined ? languages : [language];
      const reset = (await Promise.all(wanted.map((each) => drop(call, each)))).flat();
      const shown = reset.length === 0 ? "There was no session to reset." : `Reset ${reset.join(" and ")}.`;
      return textReply(shown, { reset });
    },
  });
}
