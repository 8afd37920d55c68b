import type { Tool } from "@biplane/core";
import type { CodeEngine, Language } from "./engine.ts";

/** The description of `run_code`: the languages, whether state is kept, and the tools as functions. */
export function describeCode(
  engines: readonly CodeEngine[],
  tools: readonly Tool[],
  { isKept }: { isKept: boolean },
): string {
  const languages = engines.map(({ language }) => language);
  const [first] = engines;
  const shown = first && tools.length <= maxShown ? tools.map((tool) => first.signature(tool)) : [];
  const writtenIn = first && engines.length > 1 ? `, in ${names[first.language]} syntax` : "";
  return [
    `Runs ${languages.map((language) => names[language]).join(" or ")} in a sandbox where tools are functions. ` +
      "Returns the last expression or the value of a top-level return, the printed output, and the tool calls made.",
    ...languages.map((language) => `${names[language]}: ${notes[language]}`),
    isKept ? "Variables are kept for the next run." : "Every run starts with empty state.",
    "Use list_tools(), search_tools(query) and get_tool_schema(name) to explore the tools.",
    shown.length > 0
      ? `\nThe tools${writtenIn}:\n${shown.join("\n")}`
      : `There are ${tools.length} tools. Find them with search_tools.`,
  ].join("\n");
}

/** Above this number, the description names no signatures, to save the model's context. */
const maxShown = 40;

const names: Record<Language, string> = { javascript: "JavaScript", python: "Python", starlark: "Starlark" };

const notes: Record<Language, string> = {
  javascript:
    "tool calls return promises: await them. TypeScript types are allowed. No modules, timers, files or network.",
  python:
    "version 3.12 with most of its standard library. Tool calls are synchronous. A failing call raises ToolError. " +
    "Files live in memory only, and time.sleep works. No threads, processes, network or other packages.",
  starlark:
    "tool calls are synchronous. try_tool(name, …) returns a failure as a value. while, recursion and top-level control flow work. " +
    "No files, clock or network. The next run keeps data, but not functions.",
};
