import type { Tool } from "../tool/tool.ts";
import type { CodeEngine } from "./engine.ts";

/** What an agent must know to write code: the languages, what ends an action, and the tools as functions. */
export function describeCode(
  engines: readonly CodeEngine[],
  tools: readonly Tool[],
  { isKept }: { isKept: boolean },
): string {
  const languages = engines.map(({ language }) => names[language]).join(" or ");
  const [first] = engines;
  const shown = first && tools.length <= mostShown ? tools.map((tool) => first.signature(tool)) : [];
  return [
    `Runs ${languages} in a sandbox where tools are functions, and gives the last expression or what is returned, ` +
      "what was printed, and the calls that were made. There are no files, no network and no timers besides the tools.",
    isKept ? "What code defines stays for the next run." : "Every run begins anew.",
    first?.language === "javascript" ? "Calls give promises: await them." : "",
    "list_tools(), search_tools(query) and get_tool_schema(name) tell what there is.",
    shown.length > 0 ? `\n${shown.join("\n")}` : `There are ${tools.length} tools; search them.`,
  ]
    .filter(Boolean)
    .join("\n");
}

/** With more tools than this, their signatures would crowd out everything else. */
const mostShown = 40;

const names = { javascript: "JavaScript or TypeScript", python: "Python", starlark: "Starlark" } as const;
