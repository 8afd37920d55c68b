import type { ToolResult } from "../../bridge/content.ts";

/** What a result says in words. Ours begin with `Error: ` where they are one, which the page shows otherwise. */
export function resultText({ content }: ToolResult): string {
  const said = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  return said.replace(/^Error: /, "").slice(0, 2000);
}
