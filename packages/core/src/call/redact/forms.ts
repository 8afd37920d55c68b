import { base64Forms, type DigitBits } from "./base64-forms.ts";
import { escapedForms } from "./escaped-forms.ts";

/** One spelling of a secret in text. */
export interface SecretForm {
  readonly text: string;
  /** Normalizes a match to the spelling of `text`, such as the case of hex digits. */
  readonly tidy?: (found: string) => string;
  /** Known bits of the base64 digit next to the match. */
  readonly before?: DigitBits;
  readonly after?: DigitBits;
}

/** A form and its replacement. */
export interface LabelledForm extends SecretForm {
  readonly label: Label;
}

/** Shared by all forms of a secret. */
export interface Label {
  text: string;
}

export function formsOf(value: string): SecretForm[] {
  const forms: SecretForm[] = [
    { text: value },
    // UTF-8 that is read byte by byte.
    { text: Buffer.from(value).toString("latin1") },
    { text: Buffer.from(value).toString("hex"), tidy: (found) => found.toLowerCase() },
    ...base64Forms(value),
    // Most keys and tokens need no escaping, so these would equal the value.
    ...(/^[\w.-]*$/.test(value) ? [] : escapedForms(value)),
  ];
  const seen = new Set<string>();
  return forms.filter(({ text }) => seen.size < seen.add(text).size);
}
