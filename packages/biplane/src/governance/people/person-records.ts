import { randomBytes } from "node:crypto";
import { BiplaneError } from "@biplane/core";
import { changesRow } from "../../store/change-rows.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import type { PersonRow } from "../../store/tables.ts";
import type { Access } from "./invitations.ts";
import { normalizeName } from "./person.ts";
import type { Person, StoredPerson } from "./person.ts";
import { personFrom, personRow, shownPerson } from "./person-rows.ts";
import { roles } from "./roles.ts";

/** The accounts in a store. */
export class PersonRecords {
  readonly #store: SqlStore;
  readonly #now: () => number;

  constructor(store: SqlStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  async list({ after = "", limit = 1000 }: { after?: string; limit?: number }): Promise<readonly Person[]> {
    const people = this.#store.db.selectFrom("people").selectAll();
    const found = await people.where("name", ">", after).orderBy("name").limit(limit).execute();
    return found.map((row) => shownPerson(personFrom(row)));
  }

  /** True if a person has all scopes, by role or by `*`. */
  async hasOwner(): Promise<boolean> {
    const people = this.#store.db.selectFrom("people").select("name");
    const owner = people.where((eb) => eb.or([eb("role", "=", "owner"), eb("scopes", "like", '%"*"%')]));
    return (await owner.limit(1).executeTakeFirst()) !== undefined;
  }

  async find(name: string): Promise<StoredPerson | undefined> {
    const people = this.#store.db.selectFrom("people").selectAll();
    const row = await people.where("name", "=", name).executeTakeFirst();
    return row && personFrom(row);
  }

  async mustFind(name: string): Promise<StoredPerson> {
    const person = await this.find(normalizeName(name));
    if (person) return person;
    throw new BiplaneError(
      "INVALID_INPUT",
      `There is no account named ${JSON.stringify(normalizeName(name).slice(0, 80))}.`,
    );
  }

  /** A new account, not stored yet. */
  make(given: Access & Pick<StoredPerson, "name" | "passphrase"> & Partial<StoredPerson>): StoredPerson {
    return {
      createdAt: new Date(this.#now()).toISOString(),
      id: randomBytes(16).toString("base64url"),
      sessionKey: newSessionKey(),
      places: [],
      provider: null,
      subject: null,
      email: null,
      signedInAt: null,
      ...given,
      ...effectiveAccess(given),
    };
  }

  /** Throws if there is an account of this name, or was one: decisions and the audit log name people. */
  async insert(db: SqlStore["db"], person: StoredPerson): Promise<void> {
    await checkFormer(db, person);
    const added = db.insertInto("people").values(personRow(person));
    if (await changesRow(added.onConflict((conflict) => conflict.doNothing()))) return;
    throw new BiplaneError("INVALID_INPUT", `An account named ${person.name} already exists. Choose another name.`);
  }

  async findProvided(issuer: string, subject: string): Promise<StoredPerson | undefined> {
    const people = this.#store.db.selectFrom("people").selectAll();
    const row = await people.where("issuer", "=", issuer).where("subject", "=", subject).executeTakeFirst();
    return row && personFrom(row);
  }

  async change(name: string, change: Partial<PersonRow>): Promise<void> {
    if (!(await changesRow(this.#store.db.updateTable("people").set(change).where("name", "=", name))))
      throw new BiplaneError("INVALID_INPUT", `The account ${name} no longer exists.`);
  }

  /** The name is kept first, so that a crash in between does not free it. */
  async delete({ id, name, provider, subject }: StoredPerson): Promise<boolean> {
    const removedAt = new Date(this.#now()).toISOString();
    await this.#store.put(removedPeople, name, { removedAt, provider, subject });
    return changesRow(this.#store.db.deleteFrom("people").where("id", "=", id));
  }
}

/** The store's collection of the names of removed accounts. */
const removedPeople = "removed-people";

/** A person of the same provider with the same id there is the same person, who may return. */
async function checkFormer(db: SqlStore["db"], { name, provider, subject }: StoredPerson): Promise<void> {
  const records = db.selectFrom("records").select("json").where("collection", "=", removedPeople);
  const row = await records.where("key", "=", name).executeTakeFirst();
  if (!row) return;
  const former = JSON.parse(row.json) as Pick<StoredPerson, "provider" | "subject"> & { readonly removedAt: string };
  if (provider !== null && former.provider === provider && former.subject === subject) return;
  throw new BiplaneError(
    "INVALID_INPUT",
    `The name ${name} belonged to an account that was removed on ${former.removedAt.slice(0, 10)}, and its history stays. Choose another name.`,
  );
}

export function newSessionKey(): string {
  return randomBytes(16).toString("base64url");
}

export function effectiveAccess({ role, scopes = [] }: Access): Pick<StoredPerson, "role" | "scopes"> {
  return role ? { role, scopes: roles[role].scopes } : { role: null, scopes: [...scopes] };
}
