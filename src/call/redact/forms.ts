import { base64Forms, type DigitBits } from "./base64-forms.ts";
import { escapedForms } from "./escaped-forms.ts";

/** One way in which a secret can appear in text. */
export interface Form {
  readonly text: string;
  /** Brings what was found to the spelling of `text`, where both cases of a hex digit mean the same. */
  readonly tidy?: (found: string) => string;
  /** What a digit of base64 right before or after it shows of the secret. */
  readonly before?: DigitBits;
  readonly after?: DigitBits;
}

/** A form and what to put in its place. */
export interface LabelledForm extends Form {
  readonly label: Label;
}

/** Shared by all forms of a secret. */
export interface Label {
  text: string;
}

export function formsOf(value: string): Form[] {
  const forms: Form[] = [
    { text: value },
    { text: Buffer.from(value).toString("hex"), tidy: (found) => found.toLowerCase() },
    ...base64Forms(value),
    // These are the value itself where nothing needs an escape, as in most keys and tokens.
    ...(/^[\w.-]*$/.test(value) ? [] : escapedForms(value)),
  ];
  const seen = new Set<string>();
  return forms.filter(({ text }) => seen.size < seen.add(text).size);
}
