import { BiplaneError } from "../errors.ts";
import type { Outcome } from "./outcome.ts";
import type { Redactor } from "./redact/redactor.ts";

/** Where secrets are known, so that they can be kept from leaving. It may change while a server runs. */
export interface SecretSource {
  redactor(): Redactor;
}

/** What a call came to, with no secret in it: the same object where there was none. */
export function redactOutcome(outcome: Outcome, redactor: Redactor | undefined): Outcome {
  if (!redactor || redactor.isEmpty) return outcome;
  switch (outcome.status) {
    case "done": {
      const value = redactor.value(outcome.value);
      const content = redactor.value(outcome.content);
      return value === outcome.value && content === outcome.content ? outcome : { status: "done", value, content };
    }
    case "failed":
      return { status: "failed", error: redactError(outcome.error, redactor) };
    case "suspended":
      return { status: "suspended", questions: redactor.value(outcome.questions) };
  }
}

/** The cause stays behind: it is for the inside of the house. */
function redactError(error: BiplaneError, redactor: Redactor): BiplaneError {
  const message = redactor.text(error.message);
  const details = redactor.value(error.details);
  if (message === error.message && details === error.details) return error;
  return new BiplaneError(error.code, message, details ? { details } : {});
}
