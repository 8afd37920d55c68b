/** A title or description for a Server Card or the MCP registry: one line of 1 to 100 characters; undefined if empty. */
export function cardText(text: string | undefined): string | undefined {
  const line = (text ?? "").replaceAll(/\s+/g, " ").trim();
  if (line === "") return undefined;
  return line.length <= 100 ? line : `${line.slice(0, 99).replace(/[\ud800-\udbff]$/, "")}…`;
}
