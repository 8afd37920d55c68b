import type { Answers } from "@biplane/core/client";
import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import type { FormAnswer, Params } from "@biplane/core/internal";
import { askLine } from "../terminal/ask-line.ts";
import { cleanLine, cleanText } from "../terminal/clean-text.ts";
import { propertiesOf } from "./read-arguments.ts";
import { valueKind, describeKind, typedValue } from "./typed-value.ts";

type AskUser = (question: string, signal?: AbortSignal) => Promise<string>;

/** Answers a server's questions by prompting in the terminal. Without a terminal, no questions are supported. */
export function terminalAnswers(ask: AskUser = askLine): Answers {
  if (!process.stdin.isTTY) return {};
  return {
    form: async ({ message, schema }, { signal }) => {
      process.stderr.write(`\nThe server asks: ${cleanText(message)}\n(Ctrl-C to cancel)\n`);
      return orCancel(async () => ({ action: "accept", content: await askFields(schema, { ask, signal }) }));
    },
    link: async ({ message, url }, { signal }) => {
      process.stderr.write(`\nThe server asks: ${cleanText(message)}\nOpen this page: ${cleanLine(url)}\n`);
      return orCancel(async () => {
        const answer = await ask("Done? [y/N] ", signal);
        return { action: /^y/i.test(answer) ? "accept" : "decline" };
      });
    },
  };
}

/** Asks for each property of an object. An empty line skips an optional one. */
export async function askFields(
  schema: Params,
  options: { ask: AskUser; signal: AbortSignal },
): Promise<Record<string, unknown>> {
  const content: Record<string, unknown> = {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    const value = await askField(name, property, { isRequired: required.includes(name), root: schema, ...options });
    if (value !== undefined) content[name] = value;
  }
  return content;
}

interface AskOptions {
  readonly ask: AskUser;
  readonly isRequired: boolean;
  readonly root: Params;
  readonly signal: AbortSignal;
}

async function askField(
  name: string,
  property: Readonly<Record<string, unknown>>,
  options: AskOptions,
): Promise<unknown> {
  const { title, description, default: fallback } = property;
  const about = [title, description].filter((each) => typeof each === "string").join(": ");
  const kind = describeKind(valueKind(property, options.root));
  const shown =
    fallback === undefined ? "" : ` [${typeof fallback === "string" ? fallback : JSON.stringify(fallback)}]`;
  const prompt = `  ${cleanLine(about === "" ? name : `${name}, ${about}`)} (${cleanLine(kind)})${cleanLine(shown)}: `;
  for (;;) {
    const text = await options.ask(prompt, options.signal);
    if (text === "" && fallback !== undefined) return fallback;
    if (text === "" && !options.isRequired) return undefined;
    try {
      return typedValue(text, { name, schema: property, root: options.root });
    } catch (error) {
      process.stderr.write(`  ${cleanLine(messageOf(error))}\n`);
    }
  }
}

async function orCancel(answer: () => Promise<FormAnswer>): Promise<FormAnswer> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof BiplaneError && error.code === "CANCELLED") return { action: "cancel" };
    throw error;
  }
}
