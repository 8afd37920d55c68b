import { minSecretLength } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { ErrorCode } from "@biplane/core";

/** Rules for names and values of secrets. No message ever contains a value. */
export function checkSecretName(name: string, code: ErrorCode = "INVALID_INPUT"): void {
  if (isSecretName(name)) return;
  throw new BiplaneError(
    code,
    `${JSON.stringify(name).slice(0, 80)} is not a valid secret name. Use up to 64 capital letters, digits and underscores, starting with a letter.`,
  );
}

export function isSecretName(name: string): boolean {
  return /^[A-Z][A-Z0-9_]{0,63}$/.test(name);
}

export function checkSecretValue(name: string, value: string, code: ErrorCode = "INVALID_INPUT"): void {
  if (value.length < minSecretLength || value.length > maxSecretLength) {
    throw new BiplaneError(code, `The secret ${name} must have ${minSecretLength} to ${maxSecretLength} characters.`);
  }
  if (Buffer.from(value).toString() !== value) {
    throw new BiplaneError(code, `The secret ${name} must be valid Unicode: it contains an unpaired surrogate.`);
  }
}

const maxSecretLength = 4096;
