import { BiplaneError } from "../errors.ts";
import { contentOf, isReply, reply, text } from "../tool/content.ts";
import type { Done, Outcome } from "./outcome.ts";
import type { Redactor } from "./redact/redactor.ts";

/** Provides the current secrets. They may change while a server runs. */
export interface SecretSource {
  redactor(): Redactor;
}

/** Redacts an outcome. Returns the same object if it contains no secret. */
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
 * Content is rebuilt from the redacted value, because a search would miss secrets in multiply encoded JSON. If the
 * rebuilt content still needs redaction, it is no longer the value's JSON, so the two are returned as a `reply`.
 */
function redactDone(outcome: Done, redactor: Redactor): Done {
  const value = redactor.value(outcome.value);
  // A string is its own content, so one search suffices.
  if (typeof value === "string")
    return value === outcome.value ? outcome : { status: "done", value, content: [text(value)] };
  const shown = value === outcome.value || isReply(value) ? outcome.content : contentOf(value);
  const content = redactor.value(shown);
  if (value === outcome.value && content === outcome.content) return outcome;
  const isItsJson = content === shown || isReply(value);
  return { status: "done", value: isItsJson ? value : reply(content, { structured: value }), content };
}

/** Drops `cause`, which must not leave the process. */
function redactError(error: BiplaneError, redactor: Redactor): BiplaneError {
  const message = redactor.text(error.message);
  const details = redactor.value(error.details);
  if (message === error.message && details === error.details) return error;
  return new BiplaneError(error.code, message, details ? { details } : {});
}
