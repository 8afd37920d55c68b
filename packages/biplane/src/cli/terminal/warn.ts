import { cleanText } from "./clean-text.ts";

/** Prints a warning to standard error. The text may quote a server, so it is made safe to print. */
export function warn(text: string): void {
  process.stderr.write(`biplane: ${cleanText(text)}\n`);
}
