import { randomBytes } from "node:crypto";
import { BiplaneError } from "../../errors.ts";
import type { Store } from "../../store/store.ts";
import { newToken, tokenHash } from "../access/token.ts";
import type { StoredPerson } from "./person.ts";

/** A person's token for a program that acts for him, as far as it may be shown. */
export interface PersonalToken {
  readonly id: string;
  readonly label: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

const personalPrefix = "biplane_p_";

/** Tokens that open the people's doors, and no others, in a person's name. */
export class PersonalTokens {
  readonly #store: Store;
  readonly #now: () => number;

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** The token itself is here and never again. */
  async make(
    person: StoredPerson,
    options: { label: string; days: number },
  ): Promise<PersonalToken & { token: string }> {
    const { label, days } = options;
    if (!(days > 0 && days <= 3660)) throw new BiplaneError("INVALID_INPUT", "days must be from 1 to 3660");
    if (label.length > 100) throw new BiplaneError("INVALID_INPUT", "label has at most 100 characters");
    const now = this.#now();
    const token = newToken(personalPrefix);
    const shown = {
      id: randomBytes(8).toString("hex"),
      label,
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + days * 86_400_000).toISOString(),
    };
    await this.#store.put(collection, tokenHash(token), { ...shown, name: person.name, person: person.id });
    return { ...shown, token };
  }

  async find(
    token: string,
    find: (name: string) => Promise<StoredPerson | undefined>,
  ): Promise<StoredPerson | undefined> {
    if (!token.startsWith(personalPrefix)) return undefined;
    const record = (await this.#store.get(collection, tokenHash(token))) as TokenRecord | undefined;
    if (!record || this.#now() >= Date.parse(record.expiresAt)) return undefined;
    const person = await find(record.name);
    return person?.id === record.person ? person : undefined;
  }

  async list(person: StoredPerson): Promise<readonly PersonalToken[]> {
    const found: PersonalToken[] = [];
    for await (const [, { id, label, createdAt, expiresAt }] of this.#of(person))
      found.push({ id, label, createdAt, expiresAt });
    return found.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  }

  async revoke(person: StoredPerson, id: string): Promise<boolean> {
    for await (const [key, record] of this.#of(person))
      if (record.id === id) return this.#store.delete(collection, key);
    return false;
  }

  async *#of(person: StoredPerson): AsyncGenerator<readonly [string, TokenRecord]> {
    let after = "";
    for (;;) {
      const page = await this.#store.list(collection, { after });
      const last = page.at(-1);
      if (!last) return;
      for (const [key, record] of page) {
        const token = record as unknown as TokenRecord;
        if (token.person === person.id) yield [key, token];
      }
      after = last[0];
    }
  }
}

interface TokenRecord extends PersonalToken {
  readonly name: string;
  readonly person: string;
  readonly [key: string]: unknown;
}

const collection = "people-tokens";
