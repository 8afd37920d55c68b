import { printableText } from "../../observe/printable.ts";

/** Makes untrusted text safe to print: keeps line breaks, escapes all other control characters. */
export function cleanText(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => cleanLine(line))
    .join("\n");
}

/** `cleanText` for a single line. */
export function cleanLine(text: string): string {
  return printableText(text.replaceAll("\t", "  "));
}
