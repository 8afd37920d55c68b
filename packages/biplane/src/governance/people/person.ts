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
  /** An e-mail address that is known to be theirs, in lower case. Accounts with the same one are one person. */
  readonly email: string | null;
  /** When the provider last signed the person in, in milliseconds since 1970. */
  readonly signedInAt: number | null;
  /** Networks of recent sign-ins. Failed attempts from elsewhere do not throttle these. */
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
  /** An e-mail address that the provider has verified. */
  readonly email?: string | undefined;
  /** Null for a person who may not sign in any more, or never could. */
  readonly role: Role | null;
  /** Why there is no role. */
  readonly refusal?: string | undefined;
}

export function principalOf({ name, scopes }: Pick<Person, "name" | "scopes">): Principal {
  return Object.freeze({ kind: "person", id: name, scopes: Object.freeze([...scopes]) });
}

/** Normalizes a typed name. */
export function normalizeName(name: string): string {
  return name.slice(0, 256).normalize("NFKC").trim().toLowerCase();
}

/** Null for none. */
export function checkEmail(email: string | undefined): string | null {
  const plain = email?.trim().toLowerCase() ?? "";
  if (plain === "") return null;
  if (/^[^\s@]{1,64}@[^\s@]{1,190}$/.test(plain)) return plain;
  throw new BiplaneError("INVALID_INPUT", `${JSON.stringify(plain.slice(0, 80))} is not an e-mail address.`);
}

export function checkPersonName(name: string): string {
  const plain = normalizeName(name);
  if (/^[\p{Ll}\p{Lo}\p{Nd}][\p{Ll}\p{Lo}\p{M}\p{Nd}._@-]{0,63}$/u.test(plain)) return plain;
  throw new BiplaneError(
    "INVALID_INPUT",
    `${JSON.stringify(plain.slice(0, 80))} is not a valid name. Use up to 64 letters, digits and . _ @ -, starting with a letter or digit.`,
  );
}
