import { BiplaneError } from "../errors.ts";
import type { Call } from "../tool/call.ts";
import type { Content } from "../tool/content.ts";
import type { JsonObject } from "../tool/schema.ts";
import type { Icon } from "../tool/tool.ts";
import type { Completer } from "./resource.ts";

/** A prompt that a person picks: arguments in, messages out. */
export interface Prompt {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly arguments: Readonly<Record<string, PromptArgument>>;
  readonly icons: readonly Icon[] | undefined;
  readonly meta: JsonObject | undefined;
  readonly get: (given: Readonly<Record<string, string>>, call: Call) => Messages | Promise<Messages>;
  /** What another server says of it beyond all this, passed on as it came. */
  readonly more?: JsonObject;
}

export interface PromptArgument {
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly complete?: Completer;
}

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: Content;
}

/** A string is one message from the user. A whole answer may say more than its messages. */
export type Messages = string | readonly Message[] | PromptAnswer;

export interface PromptAnswer {
  readonly messages: readonly Message[];
  readonly description?: string;
  readonly [key: string]: unknown;
}

export interface PromptOptions {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: Readonly<Record<string, PromptArgument>>;
  readonly icons?: readonly Icon[];
  readonly meta?: JsonObject;
  readonly get: Prompt["get"];
}

/** Defines a prompt. */
export function prompt(options: PromptOptions): Prompt {
  const { name, title, description, arguments: expected = {}, icons, meta, get } = options;
  if (!name) throw new BiplaneError("INVALID_DEFINITION", "a prompt needs a name");
  return Object.freeze({ name, title, description, arguments: expected, icons, meta, get });
}

/** What was got, as a whole answer. */
export function answerOf(got: Messages, { description }: Prompt): PromptAnswer {
  if (isAnswer(got)) return got;
  const messages: readonly Message[] =
    typeof got === "string" ? [{ role: "user", content: { type: "text", text: got } }] : got;
  return { ...(description !== undefined && { description }), messages };
}

function isAnswer(got: Messages): got is PromptAnswer {
  return typeof got === "object" && "messages" in got;
}
