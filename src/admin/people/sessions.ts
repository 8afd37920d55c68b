import { randomBytes } from "node:crypto";
import type { Store } from "../../store/store.ts";
import { tokenHash } from "../access/token.ts";
import type { StoredPerson } from "./person.ts";

export interface SessionOptions {
  /** How long one that nobody uses lasts: 12 hours. */
  readonly idleMs?: number;
  /** How long one lasts at most: 7 days. */
  readonly longestMs?: number;
}

/**
 * Who is logged in. The id is in a cookie, and the key in the page's own storage; the store has their hashes. Both are
 * needed: browsers send a cookie to every port of a machine, and on this one any program may listen at another.
 */
export class Sessions {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #idleMs: number;
  readonly longestMs: number;
  #sweptAt = -Infinity;

  constructor(store: Store, options: SessionOptions & { now: () => number }) {
    this.#store = store;
    this.#now = options.now;
    this.#idleMs = options.idleMs ?? 12 * 3_600_000;
    this.longestMs = options.longestMs ?? 7 * 86_400_000;
  }

  async open({ name, sessionKey }: StoredPerson): Promise<SessionKeys> {
    await this.#sweep();
    const [id, key] = [randomBytes(32), randomBytes(32)].map((bytes) => bytes.toString("base64url")) as [
      string,
      string,
    ];
    const now = this.#now();
    const record: SessionRecord = { name, sessionKey, keyHash: tokenHash(key), createdAt: now, seenAt: now };
    await this.#store.put(collection, tokenHash(id), { ...record });
    return { id, key };
  }

  /** Whose session it is, if it is still one. `find` looks the person up. */
  async find(
    { id, key: given }: SessionKeys,
    find: (name: string) => Promise<StoredPerson | undefined>,
    { isUse }: { isUse: boolean },
  ): Promise<{ person: StoredPerson; expiresAt: number } | undefined> {
    const key = tokenHash(id);
    const record = (await this.#store.get(collection, key)) as SessionRecord | undefined;
    if (!record || this.#isOver(record) || record.keyHash !== tokenHash(given)) return undefined;
    const person = await find(record.name);
    if (!person || person.sessionKey !== record.sessionKey) return undefined;
    const now = this.#now();
    // Not every request is worth a write.
    if (isUse && now - record.seenAt > Math.min(60_000, this.#idleMs / 10)) {
      await this.#store.change(collection, key, (current) => current && { ...current, seenAt: now });
    }
    return { person, expiresAt: record.createdAt + this.longestMs };
  }

  async close(id: string): Promise<boolean> {
    return this.#store.delete(collection, tokenHash(id));
  }

  #isOver({ createdAt, seenAt }: SessionRecord): boolean {
    const now = this.#now();
    return now >= seenAt + this.#idleMs || now >= createdAt + this.longestMs;
  }

  /** Takes out those that are over, once an hour at most. */
  async #sweep(): Promise<void> {
    if (this.#now() - this.#sweptAt < 3_600_000) return;
    this.#sweptAt = this.#now();
    let after = "";
    for (;;) {
      const page = await this.#store.list(collection, { after });
      const last = page.at(-1);
      if (!last) return;
      for (const [key, record] of page)
        if (this.#isOver(record as unknown as SessionRecord)) await this.#store.delete(collection, key);
      after = last[0];
    }
  }
}

/** What proves a session. */
export interface SessionKeys {
  readonly id: string;
  readonly key: string;
}

interface SessionRecord {
  readonly name: string;
  readonly sessionKey: string;
  readonly keyHash: string;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly [key: string]: unknown;
}

const collection = "people-sessions";
