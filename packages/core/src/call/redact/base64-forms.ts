import type { SecretForm } from "./forms.ts";

/** Some of the six bits of a base64 digit. */
export interface DigitBits {
  readonly mask: number;
  readonly bits: number;
}

/**
 * A value inside longer base64 text, at each of the three byte offsets within a group. Digits that share bits with a
 * neighbour are not in `text`; their known bits are in `before` and `after`.
 */
export function base64Forms(value: string): SecretForm[] {
  return [0, 1, 2].flatMap((skipped) => {
    const bytes = Buffer.from("\0".repeat(skipped) + value);
    const digits = bytes.toString("base64");
    const bits = bytes.length * 8;
    const first = Math.ceil((skipped * 8) / 6);
    const end = Math.floor(bits / 6);
    const before = bitsOf(digits.charCodeAt(first - 1), 2 ** (first * 6 - skipped * 8) - 1);
    const after = bitsOf(digits.charCodeAt(end), 64 - 2 ** (6 - (bits % 6)));
    return spellings(digits.slice(first, end)).map((form) => ({ ...form, before, after }));
  });
}

/** Whether a character is a base64 digit, in either alphabet, with these bits. */
export function hasBits(code: number, { mask, bits }: DigitBits): boolean {
  const digit = digitOf(code);
  return mask !== 0 && digit >= 0 && (digit & mask) === bits;
}

/** Both alphabets, and the standard one as escaped in URLs, in PHP's JSON and in .NET's JSON. */
function spellings(digits: string): SecretForm[] {
  if (!/[+/]/.test(digits)) return [{ text: digits }];
  return [
    { text: digits },
    { text: digits.replaceAll("+", "-").replaceAll("/", "_") },
    { text: digits.replaceAll("+", "%2b").replaceAll("/", "%2f"), tidy: tidyEscapes },
    { text: digits.replaceAll("/", "\\/") },
    { text: digits.replaceAll("+", "\\u002b"), tidy: tidyEscapes },
  ];
}

function tidyEscapes(found: string): string {
  return found.replace(/%2[BF]|\\u002B/g, (escape) => escape.toLowerCase());
}

function bitsOf(code: number, mask: number): DigitBits {
  return { mask, bits: digitOf(code) & mask };
}

function digitOf(code: number): number {
  if (code >= 65 && code <= 90) return code - 65;
  if (code >= 97 && code <= 122) return code - 71;
  if (code >= 48 && code <= 57) return code + 4;
  if (code === 43 || code === 45) return 62;
  return code === 47 || code === 95 ? 63 : -1;
}
