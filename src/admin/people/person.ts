import { BiplaneError } from "../../errors.ts";
import type { Principal } from "../../tool/call.ts";
import type { PassphraseHash } from "./passphrase.ts";

/** Somebody who may log in. */
export interface Person {
  readonly name: string;
  /** What he may do here: `approvals`, `secrets`, `audit`, `tools`, `calls` …; `*` for all there is. */
  readonly scopes: readonly string[];
  readonly createdAt: string;
}

/** A person as the store keeps him. */
export interface StoredPerson extends Person {
  /** Another one for somebody of the same name who comes later: what belonged to the first is not his. */
  readonly id: string;
  /** Sessions hold it; with another one they are all over. */
  readonly sessionKey: string;
  readonly passphrase: PassphraseHash;
  /** Addresses he logged in from lately. Whoever guesses elsewhere does not slow him down there. */
  readonly places: readonly string[];
}

export function principalOf({ name, scopes }: Person): Principal {
  return Object.freeze({ kind: "person", id: name, scopes: Object.freeze([...scopes]) });
}

/** A name as it is kept, however it was typed. */
export function plainName(name: string): string {
  return name.slice(0, 256).normalize("NFKC").trim().toLowerCase();
}

export function checkName(name: string): string {
  const plain = plainName(name);
  if (/^[\p{Ll}\p{Lo}\p{Nd}][\p{Ll}\p{Lo}\p{M}\p{Nd}._@-]{0,63}$/u.test(plain)) return plain;
  throw new BiplaneError(
    "INVALID_INPUT",
    `${JSON.stringify(plain.slice(0, 80))} is no name for a person: up to 64 letters, digits and . _ @ -, a letter or digit first`,
  );
}
