import { BiplaneError } from "../../errors.ts";
import { deepRedact } from "./deep-redact.ts";
import { createFinder, type Finder } from "./finder.ts";
import { formsOf, type Form, type Label, type LabelledForm } from "./forms.ts";
import { redactStream, type RedactingStream } from "./redact-stream.ts";
import { replaceSpans } from "./spans.ts";

/**
 * Takes secrets out of what is about to leave the house: each becomes `[REDACTED:NAME]`.
 *
 * It finds a secret as it is, in base64 (both alphabets, also in the middle of a longer base64 text), in hex,
 * percent-encoded, escaped for JSON once or twice, and escaped for HTML. It cannot find a secret that was cut in
 * pieces, reversed, compressed, encrypted, hashed, written in another charset or as a list of bytes, put in base64
 * with line breaks, or encoded in two of these ways at once (beyond base64 in a URL or in JSON): a tool that wants to
 * get a secret out can.
 */
export interface Redactor {
  /** True when there is nothing to look for. */
  readonly isEmpty: boolean;
  text(text: string): string;
  /**
   * Everything a JSON of the value would show, keys included, at any depth and round any circle. The value itself
   * when there is nothing to hide, else a copy. A number that spells a secret becomes a string.
   */
  value<T>(value: T): T;
  /** For text that comes in pieces: no piece lets out a part of a secret that the next one would complete. */
  stream(): RedactingStream;
}

export const shortestSecret = 8;

export function createRedactor(secrets: Iterable<{ name: string; value: string }>): Redactor {
  const labels: Label[] = [];
  const forms: LabelledForm[] = [];
  for (const { name, value } of secrets) {
    const label = { text: `[REDACTED:${name}]` };
    labels.push(label);
    for (const form of formsToFind(name, value)) forms.push({ ...form, label });
  }
  if (forms.length === 0) return nothingToHide;
  const finder = createFinder(forms);
  for (const label of labels) label.text = harmless(label.text, finder);
  return {
    isEmpty: false,
    text: (text) => replaceSpans(text, finder.spans(text)),
    value: (value) => deepRedact(value, finder),
    stream: () => redactStream(finder),
  };
}

function formsToFind(name: string, value: string): Form[] {
  if (value.length < shortestSecret) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `the secret ${name} is too short to be found in text: it needs at least ${shortestSecret} characters`,
    );
  }
  // A value read from a file often ends in a line break that its users cut off.
  const trimmed = value.trim();
  return trimmed === value || trimmed.length < shortestSecret
    ? formsOf(value)
    : [...formsOf(value), ...formsOf(trimmed)];
}

/** A secret may be as plain as its own name, or the word REDACTED: the label must not tell. */
function harmless(label: string, finder: Finder): string {
  return [label, "[REDACTED]"].find((candidate) => !finder.has(candidate)) ?? "[…]";
}

const nothingToHide: Redactor = {
  isEmpty: true,
  text: (text) => text,
  value: (value) => value,
  stream: () => ({ push: (chunk) => chunk, end: () => "" }),
};
