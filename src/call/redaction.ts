import { BiplaneError } from "../errors.ts";
import { contentOf, isReply, reply, text } from "../tool/content.ts";
import type { Done, Outcome } from "./outcome.ts";
import type { Redactor } from "./redact/redactor.ts";

/** Where secrets are known, so that they can be kept from leaving. It may change while a server runs. */
export interface SecretSource {
  redactor(): Redactor;
}

/** What a call came to, with no secret in it: the same object where there was none. */
export function redactOutcome(outcome: Outcome, redactor: Redactor | undefined): Outcome {
  if (!redactor || redactor.isEmpty) return outcome;
  switch (outcome.status) {
    case "done":
      return redactDone(outcome, redactor);
    case "failed":
      return { status: "failed", error: redactError(outcome.error, redactor) };
    case "suspended":
      return { status: "suspended", questions: redactor.value(outcome.questions) };
  }
}

/**
 * What is shown is made again from what is left of the value: in the JSON of a JSON of a JSON no search would find a
 * secret. Where it then still had to be changed, it is no longer the value's JSON, and must not be taken for it.
 */
function redactDone(outcome: Done, redactor: Redactor): Done {
  const value = redactor.value(outcome.value);
  // A text is its own content, and one look at it is enough.
  if (typeof value === "string")
    return value === outcome.value ? outcome : { status: "done", value, content: [text(value)] };
  const shown = value === outcome.value || isReply(value) ? outcome.content : contentOf(value);
  const content = redactor.value(shown);
  if (value === outcome.value && content === outcome.content) return outcome;
  const isItsJson = content === shown || isReply(value);
  return { status: "done", value: isItsJson ? value : reply(content, { structured: value }), content };
}

/** The cause stays behind: it is for the inside of the house. */
function redactError(error: BiplaneError, redactor: Redactor): BiplaneError {
  const message = redactor.text(error.message);
  const details = redactor.value(error.details);
  if (message === error.message && details === error.details) return error;
  return new BiplaneError(error.code, message, details ? { details } : {});
}
