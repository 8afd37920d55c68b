import type { CodeEngine, Language } from "../code/engine.ts";
import type { Config } from "../config/config-schema.ts";
import { Environment } from "../environment/environment.ts";
import type { Served } from "../wire/wing.ts";

/** Gives everything that is served a `run_code`, where the config says so. The engines end with the first of them. */
export async function addCode(served: readonly Served[], { code }: Config): Promise<void> {
  const [first] = served;
  if (!code || !first) return;
  const { codeTool } = await import("../code/run-code.ts");
  const engines = await Promise.all(code.languages.map((language) => engineFor(language)));
  for (const each of served) codeTool(serverOf(each), { engines, alone: code.alone });
  for (const engine of engines) serverOf(first).whenClosed(() => engine.close());
}

function serverOf(served: Served) {
  return served instanceof Environment ? served.server : served;
}

async function engineFor(language: Language): Promise<CodeEngine> {
  switch (language) {
    case "javascript":
      return (await import("../code/javascript/engine.ts")).javascriptEngine();
    case "python":
      return (await import("../code/python/python-engine.ts")).pythonEngine();
    case "starlark":
      return (await import("../code/starlark/engine.ts")).starlarkEngine();
  }
}
