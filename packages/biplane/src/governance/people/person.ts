import { BiplaneError } from "@biplane/core";
import type { Principal } from "@biplane/core";
import type { PassphraseHash } from "./passphrase.ts";
import type { Role } from "./roles.ts";

/** A person who can sign in. */
export interface Person {
  readonly name: string;
  /** Null for a person with scopes of their own. */
  readonly role: Role | null;
  /** Granted scopes, such as `approvals`, `secrets` or `audit`. `*` grants all. */
  readonly scopes: readonly string[];
  readonly createdAt: string;
  /** The OpenID provider that signs this person in. Null for a person with a passphrase. */
  readonly provider: string | null;
}

/** A person as stored. */
export interface StoredPerson extends Person {
  /** Unique per account, so that a later account of the same name does not inherit sessions or tokens. */
  readonly id: string;
  /** Sessions refer to it. Replacing it ends them all. */
  readonly sessionKey: string;
  /** Null for a person who signs in with a provider. */
  readonly passphrase: PassphraseHash | null;
  /** The provider's id of the person. */
  readonly subject: string | null;
  /** Networks of recent logins. Failed attempts from elsewhere do not throttle these. */
  readonly places: readonly string[];
}

export interface Credentials {
  readonly name: string;
  readonly passphrase: string;
}

/** A person as an OpenID provider describes them. */
export interface ProvidedPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly role: Role;
}

export function principalOf({ name, scopes }: Pick<Person, "name" | "scopes">): Principal {
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
