import type { AppToolResult } from "../../bridge/content.ts";

/** The text of a result, without the prefix `Error: `, since the page marks errors itself. */
export function resultText({ content }: AppToolResult): string {
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  return text.replace(/^Error: /, "").slice(0, 2000);
}
