import type { Answers } from "../../client/answers.ts";
import { BiplaneError, messageOf } from "../../errors.ts";
import type { FormAnswer } from "../../tool/question.ts";
import { askLine } from "../terminal/ask-line.ts";
import { cleanLine, cleanText } from "../terminal/clean-text.ts";
import { propertiesOf } from "./read-arguments.ts";
import { kindOf, kindWords, typedValue } from "./typed-value.ts";

/** Answers a server's questions by asking whoever sits at the terminal; without one, nothing can be asked. */
export function terminalAnswers(): Answers {
  if (!process.stdin.isTTY) return {};
  return {
    form: async ({ message, schema }, { signal }) => {
      process.stderr.write(`\nThe server asks: ${cleanText(message)}\n(Ctrl-C: no answer)\n`);
      return orCancel(async () => {
        const content: Record<string, unknown> = {};
        const required = Array.isArray(schema["required"]) ? schema["required"] : [];
        for (const [name, property] of Object.entries(propertiesOf(schema))) {
          const value = await askField(name, property, { isRequired: required.includes(name), signal });
          if (value !== undefined) content[name] = value;
        }
        return { action: "accept", content };
      });
    },
    link: async ({ message, url }, { signal }) => {
      process.stderr.write(`\nThe server asks: ${cleanText(message)}\nOpen this page: ${cleanLine(url)}\n`);
      return orCancel(async () => {
        const said = await askLine("Done? [y/N] ", signal);
        return { action: /^y/i.test(said) ? "accept" : "decline" };
      });
    },
  };
}

interface Asking {
  readonly isRequired: boolean;
  readonly signal: AbortSignal;
}

async function askField(name: string, property: Readonly<Record<string, unknown>>, asking: Asking): Promise<unknown> {
  const { title, description, default: fallback } = property;
  const about = [title, description].filter((each) => typeof each === "string").join(": ");
  const kind = kindWords(kindOf(property, property));
  const shown =
    fallback === undefined ? "" : ` [${typeof fallback === "string" ? fallback : JSON.stringify(fallback)}]`;
  const prompt = `  ${cleanLine(about === "" ? name : `${name}, ${about}`)} (${cleanLine(kind)})${cleanLine(shown)}: `;
  for (;;) {
    const text = await askLine(prompt, asking.signal);
    if (text === "" && fallback !== undefined) return fallback;
    if (text === "" && !asking.isRequired) return undefined;
    try {
      return typedValue(name, text, property);
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
