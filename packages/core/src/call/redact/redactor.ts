import { BiplaneError } from "../../errors.ts";
import type { TextRange } from "../../tool/call.ts";
import { deepRedact } from "./deep-redact.ts";
import { decodingFinder } from "./decoding-finder.ts";
import { createFinder, type Finder } from "./finder.ts";
import { formsOf, type SecretForm, type Label, type LabelledForm } from "./forms.ts";
import { redactStream, type RedactingStream } from "./redact-stream.ts";
import { replaceSpans } from "./spans.ts";

/**
 * Replaces secrets in outgoing data with `[REDACTED:NAME]`. It finds a secret verbatim, in base64 (both alphabets, also
 * inside longer base64 text), hex and percent-encoding, JSON-escaped once or twice, and HTML-escaped, whichever of its
 * characters are escaped. It misses secrets that are split, reversed, compressed, encrypted, hashed, in another charset,
 * or encoded twice otherwise.
 * It prevents accidents. It cannot stop a tool that leaks on purpose.
 *
 * Libraries for redaction replace known keys of log objects. This one finds values in any text, in their encoded forms
 * and across the chunks of a stream, in one pass however many secrets there are.
 */
export interface Redactor {
  /** True if there are no secrets. */
  readonly isEmpty: boolean;
  /** With `range`, returns only that part; secrets that reach into it are replaced too. */
  text(text: string, range?: TextRange): string;
  /**
   * Redacts everything `JSON.stringify` would show, including keys, at any depth and through cycles. Returns the value
   * itself if it contains no secret, else a copy. A number that spells a secret becomes a string.
   */
  value<T>(value: T): T;
  /** For chunked text: finds secrets that span chunks. */
  stream(): RedactingStream;
  /** Finds what is not escaped; to combine redactors. */
  readonly finder: Finder;
}

export const minSecretLength = 8;

export function createRedactor(secrets: Iterable<{ name: string; value: string }>): Redactor {
  const labels: Label[] = [];
  const forms: LabelledForm[] = [];
  for (const { name, value } of secrets) {
    const label = { text: `[REDACTED:${name}]` };
    labels.push(label);
    for (const form of formsToFind(name, value)) forms.push({ ...form, label });
  }
  if (forms.length === 0) return emptyRedactor;
  const finder = createFinder(forms);
  for (const label of labels) label.text = harmless(label.text, finder);
  return redactorOf(finder);
}

export function redactorOf(finder: Finder): Redactor {
  const decoding = decodingFinder(finder);
  // Policies receive it, and must not be able to replace its methods.
  return Object.freeze<Redactor>({
    isEmpty: false,
    text: (text, range) => replaceSpans(text, decoding.spans(text), range),
    value: (value) => deepRedact(value, decoding),
    stream: () => redactStream(decoding),
    finder,
  });
}

function formsToFind(name: string, value: string): SecretForm[] {
  if (value.length < minSecretLength) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `Secret ${name} is too short to redact safely. Use a value of at least ${minSecretLength} characters.`,
    );
  }
  // A value read from a file often ends in a line break that its consumers strip.
  const trimmed = value.trim();
  return trimmed === value || trimmed.length < minSecretLength
    ? formsOf(value)
    : [...formsOf(value), ...formsOf(trimmed)];
}

/** A secret may equal its own name or "REDACTED"; the label must not reveal it. */
function harmless(label: string, finder: Finder): string {
  return [label, "[REDACTED]"].find((candidate) => !finder.has(candidate)) ?? "[…]";
}

const emptyRedactor: Redactor = Object.freeze<Redactor>({
  isEmpty: true,
  text: (text, range) => (range ? text.slice(range.start, range.end) : text),
  value: (value) => value,
  stream: () => ({ push: (chunk) => chunk, end: () => "" }),
  finder: createFinder([]),
});
