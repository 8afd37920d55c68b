import type { Redactor } from "../call/redact/redactor.ts";

/**
 * The exit for everything that does not come from the call pipeline: observations, states, faults and other answers
 * about episodes. Values are redacted before they become text, because a search would miss secrets in multiply encoded
 * JSON.
 */
export function redactedJson(value: unknown, redactor: Redactor | undefined): string {
  return JSON.stringify(redactor ? redactor.value(value) : value);
}
