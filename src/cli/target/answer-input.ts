import type { InputQuestion } from "../../client/config/inputs.ts";
import { askHidden } from "../ask-passphrase.ts";
import { cleanLine } from "../terminal/clean-text.ts";
import { askLine } from "../terminal/ask-line.ts";

/** Asks in the terminal for what a VS Code file wants to know; without a terminal there are only the defaults. */
export async function answerInput(question: InputQuestion): Promise<string | undefined> {
  const { description, fallback, options, password } = question;
  if (!process.stdin.isTTY) return fallback;
  const choices = options ? ` (${options.join(", ")})` : "";
  const prompt = `${cleanLine(description)}${cleanLine(choices)}${fallback === undefined ? "" : ` [${cleanLine(fallback)}]`}: `;
  const typed = password ? await askHidden(prompt) : await askLine(prompt);
  return typed === "" ? fallback : typed;
}
