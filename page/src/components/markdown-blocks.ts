export interface MarkdownBlock {
  readonly kind: "heading" | "item" | "code" | "prose";
  /** How far it is indented. */
  readonly depth: number;
  readonly lines: string[];
}

/** Splits a text into blocks. A line that begins no block continues the one before. */
export function markdownBlocks(text: string): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  const add = (block: MarkdownBlock): MarkdownBlock => {
    blocks.push(block);
    return block;
  };
  let open: MarkdownBlock | undefined;
  for (const line of text.split("\n")) {
    const heading = /^#{1,6} +(.*)$/.exec(line)?.[1];
    const indent = /^( *)(?:[-*]|\d{1,3}\.) +\S/.exec(line)?.[1];
    const isCode = open?.kind === "code";
    const fence = /^ *```(.*)$/.exec(line)?.[1]?.trim();
    if (fence !== undefined && !isCode) open = add({ kind: "code", depth: 0, lines: fence === "" ? [] : [fence] });
    else if (fence === "") open = undefined;
    else if (isCode) open?.lines.push(line);
    else if (line.trim() === "") open = undefined;
    else if (heading !== undefined) {
      add({ kind: "heading", depth: 0, lines: [heading] });
      open = undefined;
    } else if (indent !== undefined) {
      const item = line.trim().replace(/^[-*] +/, "• ");
      open = add({ kind: "item", depth: Math.min(4, indent.length / 2), lines: [item] });
    } else if (open) open.lines.push(line.trim());
    else open = add({ kind: "prose", depth: 0, lines: [line] });
  }
  return blocks;
}

/** True if a text has headings, or lists with bold text or code. */
export function isMarkdown(text: string): boolean {
  const start = text.slice(0, 20_000);
  return /^#{1,6} \S/m.test(start) || (/^ *[-*] \S/m.test(start) && /\*\*\S|`\S/.test(start));
}
