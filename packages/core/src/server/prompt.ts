import { checkOptions } from "../tool/check-options.ts";
import type { OptionNames } from "../tool/check-options.ts";
import { BiplaneError } from "../errors.ts";
import type { Call } from "../tool/call.ts";
import type { Content } from "../tool/content.ts";
import type { JsonObject } from "../tool/schema.ts";
import type { Icon } from "../tool/icon.ts";
import type { Completer } from "./resource.ts";

/** A prompt template that a user selects. */
export interface Prompt {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly arguments: Readonly<Record<string, PromptArgument>>;
  readonly icons: readonly Icon[] | undefined;
  readonly meta: JsonObject | undefined;
  readonly get: (given: Readonly<Record<string, string>>, call: Call) => Messages | Promise<Messages>;
  /** Further fields from another server, passed on unchanged. */
  readonly more?: JsonObject;
}

export interface PromptArgument {
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly complete?: Completer;
}

export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: Content;
}

/** A string is one user message. A full result may have further fields. */
export type Messages = string | readonly PromptMessage[] | GetPromptResult;

export interface GetPromptResult {
  readonly messages: readonly PromptMessage[];
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
  checkOptions(`Prompt ${JSON.stringify(options.name)}`, options, promptOptionNames);
  const { name, title, description, arguments: expected = {}, icons, meta, get } = options;
  if (!name) throw new BiplaneError("INVALID_DEFINITION", "A prompt needs a name.");
  return Object.freeze({ name, title, description, arguments: expected, icons, meta, get });
}

const promptOptionNames: OptionNames<PromptOptions> = {
  name: true,
  title: true,
  description: true,
  arguments: true,
  icons: true,
  meta: true,
  get: true,
};

/** Normalizes what `get` returned. */
export function toPromptResult(got: Messages, { description }: Prompt): GetPromptResult {
  if (isAnswer(got)) return got;
  const messages: readonly PromptMessage[] =
    typeof got === "string" ? [{ role: "user", content: { type: "text", text: got } }] : got;
  return { ...(description !== undefined && { description }), messages };
}

function isAnswer(got: Messages): got is GetPromptResult {
  return typeof got === "object" && "messages" in got;
}
