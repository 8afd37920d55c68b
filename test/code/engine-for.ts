import type { CodeEngine } from "../../packages/biplane/src/code/engine.ts";
import { javascriptEngine } from "../../packages/biplane/src/code/javascript/engine.ts";
import { pythonEngine } from "../../packages/biplane/src/code/python/engine.ts";
import { starlarkEngine } from "../../packages/biplane/src/code/starlark/engine.ts";

/** A small engine for a language, by its name. */
export function engineFor(language: string): CodeEngine {
  if (language === "python") return pythonEngine({ warm: 0 });
  return language === "starlark" ? starlarkEngine({ workers: 1 }) : javascriptEngine({ isolation: "thread" });
}
