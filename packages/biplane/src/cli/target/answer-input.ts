import type { InputQuestion } from "@biplane/core/client";
import { askHidden } from "../terminal/ask-passphrase.ts";
import { cleanLine } from "../terminal/clean-text.ts";
import { askLine } from "../terminal/ask-line.ts";

/** Prompts for an `${input:…}` of a VS Code config. Without a terminal, returns its default. */
export async function answerInput(question: InputQuestion): Promise<string | undefined> {
  const { description, fallback, options, password } = question;
  if (!process.stdin.isTTY) return fallback;
  const choices = options ? ` (${options.join(", ")})` : "";
  const prompt = `${cleanLine(description)}${cleanLine(choices)}${fallback === undefined ? "" : ` [${cleanLine(fallback)}]`}: `;
  const typed = password ? await askHidden(prompt) : await askLine(prompt);
  return typed === "" ? fallback : typed;
}
