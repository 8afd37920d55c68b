import { compileSchema } from "./json-schema/compile.ts";
import { compileForeignSchema } from "./json-schema/foreign.ts";
import { FOREIGN_WORK } from "./json-schema/run.ts";
import type { Check } from "./json-schema/schema.ts";
import type { JsonObject } from "./schema.ts";
import { isRecord } from "../is-record.ts";

/** A question to the caller: a form, a link to open, a model sample, or the client's roots. */
export type Question = FormQuestion | LinkQuestion | SampleQuestion | RootsQuestion;

export interface FormQuestion {
  readonly kind: "form";
  readonly message: string;
  readonly schema: JsonObject;
  /** True if a mounted server asks: the patterns of its schema are not checked. */
  readonly isForeign?: boolean;
}
export interface LinkQuestion {
  readonly kind: "link";
  readonly message: string;
  readonly url: string;
  readonly elicitationId?: string;
}
export interface SampleQuestion {
  readonly kind: "sample";
  readonly request: JsonObject;
}
export interface RootsQuestion {
  readonly kind: "roots";
}

/** The answer to a form. `content` is only set for `accept`. */
export interface FormAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: JsonObject;
}
export type LinkAnswer = Pick<FormAnswer, "action">;
export interface SampleAnswer {
  readonly role: "user" | "assistant";
  readonly content: unknown;
  readonly model: string;
  readonly stopReason?: string;
}
export interface RootsAnswer {
  readonly roots: readonly { readonly uri: string; readonly name?: string }[];
}
export type AnswerTo<Q extends Question> = Q extends FormQuestion
  ? FormAnswer
  : Q extends LinkQuestion
    ? LinkAnswer
    : Q extends SampleQuestion
      ? SampleAnswer
      : RootsAnswer;

/** Asks the user to fill in a form. `schema` is a flat JSON Schema object of primitive fields. */
export const form = (message: string, schema: JsonObject): FormQuestion => ({ kind: "form", message, schema });

/** Asks the user to open a page, for data that must not pass through the client (a payment, a login). */
export const visit = (message: string, url: string): LinkQuestion => ({ kind: "link", message, url });

/** Asks the client's model. `request` is an MCP sampling request (`messages`, `maxTokens`, …). */
export const sample = (request: JsonObject): SampleQuestion => ({ kind: "sample", request });

/** Asks for the folders the client works in. */
export const roots = (): RootsQuestion => ({ kind: "roots" });

/** Whether a value is a valid answer to the question. */
export function isValidAnswer(question: Question, answer: unknown): boolean {
  if (!isRecord(answer)) return false;
  switch (question.kind) {
    case "form":
      if (answer["action"] === "decline" || answer["action"] === "cancel") return true;
      // Hosts omit the content of a form without fields.
      return answer["action"] === "accept" && checkForm(question)(answer["content"] ?? {}) === undefined;
    case "link":
      return ["accept", "decline", "cancel"].includes(String(answer["action"]));
    case "sample":
      return typeof answer["role"] === "string" && answer["content"] !== undefined;
    case "roots":
      return (
        Array.isArray(answer["roots"]) &&
        answer["roots"].every((root) => isRecord(root) && typeof root["uri"] === "string")
      );
  }
}

function checkForm({ schema, isForeign }: FormQuestion): Check {
  return isForeign ? compileForeignSchema(schema) : compileSchema(schema, { maxWork: FOREIGN_WORK });
}
