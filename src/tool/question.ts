import { compileSchema } from "./json-schema/compile.ts";
import type { JsonObject } from "./schema.ts";

/** Something a running tool wants from the other side: a form or a link for its user, a model's words, its roots. */
export type Question = FormQuestion | LinkQuestion | SampleQuestion | RootsQuestion;

export interface FormQuestion {
  readonly kind: "form";
  readonly message: string;
  readonly schema: JsonObject;
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

/** What came back. A form that was declined or dismissed has no `content`. */
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

/** Ask the user to fill in a form; `schema` is a flat JSON Schema object of primitive fields. */
export const form = (message: string, schema: JsonObject): FormQuestion => ({ kind: "form", message, schema });

/** Ask the user to open a page, for what must not pass through the client (a payment, a login). */
export const visit = (message: string, url: string): LinkQuestion => ({ kind: "link", message, url });

/** Ask the client's model; `request` is MCP's sampling request (`messages`, `maxTokens`, …). */
export const sample = (request: JsonObject): SampleQuestion => ({ kind: "sample", request });

/** Ask which folders the client works in. */
export const roots = (): RootsQuestion => ({ kind: "roots" });

/** Whether what came back is an answer to the question at all. */
export function fits(question: Question, answer: unknown): boolean {
  if (!isRecord(answer)) return false;
  switch (question.kind) {
    case "form":
      if (answer["action"] === "decline" || answer["action"] === "cancel") return true;
      // Hosts leave the content out where there is nothing to fill in.
      return answer["action"] === "accept" && compileSchema(question.schema)(answer["content"] ?? {}) === undefined;
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

function isRecord(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
