import { randomBytes } from "node:crypto";
import { BiplaneError } from "@biplane/core";
import { changesRow } from "../../store/change-rows.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import type { TokenRow } from "../../store/tables.ts";
import { newToken, tokenHash } from "../access/token.ts";
import type { StoredPerson } from "./person.ts";

/** A person's token for a program that acts for them, without the secret. */
export interface PersonalToken {
  readonly id: string;
  readonly label: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

const personalPrefix = "biplane_p_";

/** Tokens for the admin API only. They act for one person. */
export class PersonalTokens {
  readonly #store: SqlStore;
  readonly #now: () => number;

  constructor(store: SqlStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** The token itself is returned only here. */
  async make(
    person: StoredPerson,
    options: { label: string; days: number },
  ): Promise<PersonalToken & { token: string }> {
    const { label, days } = options;
    if (!(days > 0 && days <= 3660)) throw new BiplaneError("INVALID_INPUT", "days must be from 1 to 3660.");
    if (label.length > 100) throw new BiplaneError("INVALID_INPUT", "label must have at most 100 characters.");
    const now = this.#now();
    const token = newToken(personalPrefix);
    const row = { id: randomBytes(8).toString("hex"), label, created_at: now, expires_at: now + days * 86_400_000 };
    const own = { hash: tokenHash(token), name: person.name, person: person.id };
    await this.#store.db
      .insertInto("tokens")
      .values({ ...row, ...own })
      .execute();
    return { ...shownToken(row), token };
  }

  async find(
    token: string,
    find: (name: string) => Promise<StoredPerson | undefined>,
  ): Promise<StoredPerson | undefined> {
    if (!token.startsWith(personalPrefix)) return undefined;
    const known = await this.#store.db
      .selectFrom("tokens")
      .select(["name", "person"])
      .where("hash", "=", tokenHash(token))
      .where("expires_at", ">", this.#now())
      .executeTakeFirst();
    const person = known && (await find(known.name));
    return person?.id === known?.person ? person : undefined;
  }

  async list(person: StoredPerson): Promise<readonly PersonalToken[]> {
    const found = await this.#store.db
      .selectFrom("tokens")
      .select(["id", "label", "created_at", "expires_at"])
      .where("person", "=", person.id)
      .orderBy("created_at", "desc")
      .execute();
    return found.map(shownToken);
  }

  revoke(person: StoredPerson, id: string): Promise<boolean> {
    return changesRow(this.#store.db.deleteFrom("tokens").where("person", "=", person.id).where("id", "=", id));
  }
}

type ShownColumns = Pick<TokenRow, "id" | "label" | "created_at" | "expires_at">;

function shownToken({ id, label, created_at, expires_at }: ShownColumns): PersonalToken {
  return { id, label, createdAt: new Date(created_at).toISOString(), expiresAt: new Date(expires_at).toISOString() };
}
