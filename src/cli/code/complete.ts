import type { Language } from "../../code/engine.ts";
import { aliasOf } from "../../code/parameters.ts";

/** What a line that was begun may become, and the part of it that is completed: as `readline` wants it. */
export function complete(
  line: string,
  { names, language }: { names: readonly string[]; language: Language },
): [string[], string] {
  const [command] = /^:\w*$/.exec(line) ?? [];
  if (command !== undefined) return [commands.filter((each) => each.startsWith(command)), command];
  const named = /^:schema\s+(\S*)$|\btools\[["']([^"']*)$/.exec(line);
  if (named) {
    const begun = named[1] ?? named[2] ?? "";
    return [names.filter((name) => name.startsWith(begun)), begun];
  }
  const [begun = ""] = /(?<![.\w$])[A-Za-z_$][\w$]*$/.exec(line) ?? [];
  if (begun === "") return [[], line];
  const known = [...names.map((name) => `${aliasOf(name)}(`), ...builtIn, ...(extra[language] ?? [])];
  return [known.filter((each) => each.startsWith(begun)), begun];
}

/** What a REPL is told rather than the code. */
export const commands = [":tools", ":schema", ":reset", ":help", ":quit"];

const builtIn = ["list_tools()", "search_tools(", "get_tool_schema(", "tools["];
const extra: Partial<Record<Language, readonly string[]>> = {
  javascript: ["console.log(", "await "],
  python: ["print(", "help("],
  starlark: ["print(", "try_tool("],
};
