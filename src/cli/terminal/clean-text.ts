import { printableText } from "../../observe/printable.ts";

/** Text from elsewhere for a terminal: lines stay lines, and nothing else in it does anything. */
export function cleanText(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => cleanLine(line))
    .join("\n");
}

/** The same for one line. */
export function cleanLine(text: string): string {
  return printableText(text.replaceAll("\t", "  "));
}
