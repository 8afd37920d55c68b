import { shortestSecret } from "../../call/redact/redactor.ts";
import { BiplaneError, type ErrorCode } from "../../errors.ts";

/** What a secret may be called and how long it may be. No message ever holds a value. */
export function checkName(name: string, code: ErrorCode = "INVALID_INPUT"): void {
  if (isName(name)) return;
  throw new BiplaneError(
    code,
    `${JSON.stringify(name).slice(0, 80)} is no name for a secret: up to 64 capital letters, digits and underscores, a letter first`,
  );
}

export function isName(name: string): boolean {
  return /^[A-Z][A-Z0-9_]{0,63}$/.test(name);
}

export function checkValue(name: string, value: string, code: ErrorCode = "INVALID_INPUT"): void {
  if (value.length < shortestSecret || value.length > longestSecret) {
    throw new BiplaneError(code, `the secret ${name} must have ${shortestSecret} to ${longestSecret} characters`);
  }
  if (Buffer.from(value).toString() !== value) {
    throw new BiplaneError(code, `the secret ${name} must be text: it holds half a character`);
  }
}

const longestSecret = 4096;
