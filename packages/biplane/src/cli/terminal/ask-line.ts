import { createInterface } from "node:readline/promises";
import { BiplaneError } from "@biplane/core";
import { interruption } from "../command/exit-code.ts";
import { cleanText } from "./clean-text.ts";

/** Prompts for a line on standard error, so that standard output holds only the command's output. */
export async function askLine(question: string, signal?: AbortSignal): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<never>((_, reject) => {
    reader.once("close", () => reject(new BiplaneError("CANCELLED", "Nothing was entered.")));
    reader.once("SIGINT", () => reject(interruption()));
  });
  ended.catch(() => undefined); // avoids an unhandled rejection after the race is over
  try {
    return await Promise.race([reader.question(cleanText(question), signal ? { signal } : {}), ended]);
  } finally {
    reader.close();
  }
}
