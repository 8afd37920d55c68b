import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A fenced block of code in a document. */
export interface CodeBlock {
  /** `docs/tour.md`. */
  readonly file: string;
  /** Of the opening fence; the first line is 1. */
  readonly line: number;
  /** What follows the fence: `ts`, `ts file`, `console server`. */
  readonly info: string;
  readonly code: string;
}

/** README.md and every document in docs/, by path from the root. */
export const documents = [
  "README.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name))
    .sort(),
];

export function readDocument(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

/** The blocks of a document, in order. */
export function blocksIn(file: string): CodeBlock[] {
  const text = readDocument(file);
  return Array.from(text.matchAll(/^```(\w[^\n]*)\n([\s\S]*?)^```$/gm), ({ index, 1: info = "", 2: code = "" }) => ({
    file,
    line: text.slice(0, index).split("\n").length,
    info,
    code,
  }));
}

/** The blocks of all documents whose first word after the fence is one of these. */
export function blocksOf(...languages: readonly string[]): CodeBlock[] {
  return documents.flatMap(blocksIn).filter(({ info }) => languages.includes(info.split(" ")[0] ?? ""));
}
