import type { CodeEngine } from "../../src/code/engine.ts";
import { javascriptEngine } from "../../src/code/javascript/engine.ts";
import { pythonEngine } from "../../src/code/python/python-engine.ts";
import { starlarkEngine } from "../../src/code/starlark/engine.ts";

/** A small engine for a language, by its name. */
export function engineFor(language: string): CodeEngine {
  if (language === "python") return pythonEngine({ warm: 0 });
  return language === "starlark" ? starlarkEngine({ workers: 1 }) : javascriptEngine({ isolation: "thread" });
}
