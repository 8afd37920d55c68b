import type { Tool } from "../tool/tool.ts";
import type { CodeEngine, Language } from "./engine.ts";

/** What an agent must know to write code: the languages, what stays, and the tools as functions. */
export function describeCode(
  engines: readonly CodeEngine[],
  tools: readonly Tool[],
  { isKept }: { isKept: boolean },
): string {
  const languages = engines.map(({ language }) => language);
  const [first] = engines;
  const shown = first && tools.length <= mostShown ? tools.map((tool) => first.signature(tool)) : [];
  const writtenIn = first && engines.length > 1 ? `, as ${names[first.language]} writes them` : "";
  return [
    `Runs ${languages.map((language) => names[language]).join(" or ")} in a sandbox where tools are functions, and ` +
      "gives the last expression or what is returned at the top, what was printed, and the calls that were made.",
    ...languages.map((language) => `${names[language]}: ${notes[language]}`),
    isKept ? "What code defines stays for the next run." : "Every run begins anew.",
    "list_tools(), search_tools(query) and get_tool_schema(name) tell what there is.",
    shown.length > 0
      ? `\nThe tools${writtenIn}:\n${shown.join("\n")}`
      : `There are ${tools.length} tools; search them.`,
  ].join("\n");
}

/** With more tools than this, their signatures would crowd out everything else. */
const mostShown = 40;

const names: Record<Language, string> = { javascript: "JavaScript", python: "Python", starlark: "Starlark" };

const notes: Record<Language, string> = {
  javascript:
    "calls give promises: await them. Types of TypeScript may be there. No modules, timers, files or network.",
  python:
    "version 3.12 with most of its standard library. Calls are plain, a failing one raises ToolError. " +
    "Files are scratch space in memory, and time.sleep waits. No threads, processes, network or other packages.",
  starlark:
    "calls are plain; try_tool(name, …) gives a failure as a value. while, recursion and control at the top work. " +
    "No files, clock or network; data stays for the next run, functions do not.",
};
