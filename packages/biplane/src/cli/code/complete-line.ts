import type { Language } from "../../code/engine.ts";
import { aliasOf } from "../../code/parameters.ts";

/** A `readline` completer: the candidates, and the part of the line that they replace. */
export function completeLine(
  line: string,
  { names, language }: { names: readonly string[]; language: Language },
): [string[], string] {
  const named = /^:schema\s+(\S*)$|\btools\[["']([^"']*)$/.exec(line);
  if (named) {
    const prefix = named[1] ?? named[2] ?? "";
    return [names.filter((name) => name.startsWith(prefix)), prefix];
  }
  const [prefix = ""] = /(?<![.\w$])[A-Za-z_$][\w$]*$/.exec(line) ?? [];
  if (prefix === "") return [[], line];
  const known = [...names.map((name) => `${aliasOf(name)}(`), ...builtIn, ...(extra[language] ?? [])];
  return [known.filter((each) => each.startsWith(prefix)), prefix];
}

const builtIn = ["list_tools()", "search_tools(", "get_tool_schema(", "tools["];
const extra: Partial<Record<Language, readonly string[]>> = {
  javascript: ["console.log(", "await "],
  python: ["print(", "help("],
  starlark: ["print(", "try_tool("],
};
