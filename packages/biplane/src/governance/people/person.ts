import { BiplaneError } from "@biplane/core";
import type { Principal } from "@biplane/core";
import type { PassphraseHash } from "./passphrase.ts";

/** A person who can log in. */
export interface Person {
  readonly name: string;
  /** Granted scopes, such as `approvals`, `secrets` or `audit`. `*` grants all. */
  readonly scopes: readonly string[];
  readonly createdAt: string;
}

/** A person as stored. */
export interface StoredPerson extends Person {
  /** Unique per account, so that a later account of the same name does not inherit sessions or tokens. */
  readonly id: string;
  /** Sessions refer to it. Replacing it ends them all. */
  readonly sessionKey: string;
  readonly passphrase: PassphraseHash;
  /** Networks of recent logins. Failed attempts from elsewhere do not throttle these. */
  readonly places: readonly string[];
}

export function principalOf({ name, scopes }: Person): Principal {
  return Object.freeze({ kind: "person", id: name, scopes: Object.freeze([...scopes]) });
}

/** Normalizes a typed name. */
export function normalizeName(name: string): string {
  return name.slice(0, 256).normalize("NFKC").trim().toLowerCase();
}

export function checkPersonName(name: string): string {
  const plain = normalizeName(name);
  if (/^[\p{Ll}\p{Lo}\p{Nd}][\p{Ll}\p{Lo}\p{M}\p{Nd}._@-]{0,63}$/u.test(plain)) return plain;
  throw new BiplaneError(
    "INVALID_INPUT",
    `${JSON.stringify(plain.slice(0, 80))} is not a valid name. Use up to 64 letters, digits and . _ @ -, starting with a letter or digit.`,
  );
}
