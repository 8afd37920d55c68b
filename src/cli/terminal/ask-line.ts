import { createInterface } from "node:readline/promises";
import { BiplaneError } from "../../errors.ts";
import { cleanText } from "./clean-text.ts";

/** Asks for a line, on standard error so that standard output stays what a command gives. */
export async function askLine(question: string, signal?: AbortSignal): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<never>((_, reject) => {
    for (const event of ["close", "SIGINT"] as const)
      reader.once(event, () => reject(new BiplaneError("CANCELLED", "nothing was typed")));
  });
  ended.catch(() => undefined); // told only to whoever still waits
  try {
    return await Promise.race([reader.question(cleanText(question), signal ? { signal } : {}), ended]);
  } finally {
    reader.close();
  }
}
