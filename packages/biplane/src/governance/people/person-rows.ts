import type { PersonRow } from "../../store/tables.ts";
import type { PassphraseHash } from "./passphrase.ts";
import type { Person, StoredPerson } from "./person.ts";
import { roleFrom, roles } from "./roles.ts";

/** A person without secrets. */
export function shownPerson({ name, role, scopes, createdAt, provider }: StoredPerson): Person {
  return { name, role, scopes, createdAt, provider };
}

export function personRow(person: StoredPerson): PersonRow {
  return {
    name: person.name,
    id: person.id,
    created_at: Date.parse(person.createdAt),
    issuer: person.provider,
    subject: person.subject,
    email: person.email,
    signed_in_at: person.signedInAt,
    ...accessColumns(person),
    session_key: person.sessionKey,
    passphrase: JSON.stringify(person.passphrase),
    places: JSON.stringify(person.places),
  };
}

/** The scopes of a role are not stored, because they may change with the version. */
export function accessColumns({ role, scopes }: Pick<Person, "role" | "scopes">): Pick<PersonRow, "role" | "scopes"> {
  return { role, scopes: JSON.stringify(role === null ? scopes : []) };
}

export function personFrom(row: PersonRow): StoredPerson {
  const role = roleFrom(row.role);
  return {
    name: row.name,
    id: row.id,
    role,
    scopes: role === null ? (JSON.parse(row.scopes) as string[]) : roles[role].scopes,
    createdAt: new Date(row.created_at).toISOString(),
    provider: row.issuer,
    subject: row.subject,
    email: row.email,
    signedInAt: row.signed_in_at,
    sessionKey: row.session_key,
    passphrase: JSON.parse(row.passphrase) as PassphraseHash | null,
    places: JSON.parse(row.places) as string[],
  };
}

/** What the audit log says about the access of an account. */
export function recordedAccess({ role, scopes }: Pick<Person, "role" | "scopes">): object {
  return role === null ? { scopes } : { role };
}
