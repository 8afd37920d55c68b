import type { CodeEngine, Language } from "../code/engine.ts";
import { codeTurns } from "../code/code-shares.ts";
import type { Config } from "../config/config-schema.ts";
import { serverOf } from "@biplane/core/internal";
import type { Served } from "@biplane/core";

/** Adds `run_code` to every server if the config has `code`. All servers share the engines; the first one closes them. */
export async function addCode(served: readonly Served[], { code }: Config): Promise<void> {
  const [first] = served;
  if (!code || !first) return;
  const { codeTool } = await import("../code/code-tool.ts");
  const { alone, limits } = code;
  if (code.workers !== undefined) codeTurns.size = code.workers;
  const engines = await Promise.all(code.languages.map(engineFor));
  for (const each of served) codeTool(each, { engines, alone, limits });
  for (const engine of engines) serverOf(first).whenClosed(() => engine.close());
}

async function engineFor(language: Language): Promise<CodeEngine> {
  switch (language) {
    case "javascript":
      return (await import("../code/javascript/engine.ts")).javascriptEngine();
    case "python":
      return (await import("../code/python/engine.ts")).pythonEngine();
    case "starlark":
      return (await import("../code/starlark/engine.ts")).starlarkEngine();
  }
}
