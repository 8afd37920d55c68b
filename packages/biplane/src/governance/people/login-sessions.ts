import { randomBytes } from "node:crypto";
import { changesRow } from "../../store/change-rows.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import type { LoginSessionRow } from "../../store/tables.ts";
import { tokenHash } from "../access/token.ts";
import type { StoredPerson } from "./person.ts";

export interface LoginSessionOptions {
  /** Idle timeout (default: 12 hours). */
  readonly idleMs?: number;
  /** Maximum lifetime (default: 7 days). */
  readonly longestMs?: number;
}

/**
 * Login sessions. The id is in a cookie, the key in the page's own storage, and the store has their hashes. Both are
 * needed: browsers send cookies to every port of a machine, and other programs may listen there.
 */
export class LoginSessions {
  readonly #store: SqlStore;
  readonly #now: () => number;
  readonly #idleMs: number;
  readonly longestMs: number;
  #sweptAt = -Infinity;

  constructor(store: SqlStore, options: LoginSessionOptions & { now: () => number }) {
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
    await this.#store.db
      .insertInto("login_sessions")
      .values({
        hash: tokenHash(id),
        name,
        session_key: sessionKey,
        key_hash: tokenHash(key),
        created_at: now,
        seen_at: now,
      })
      .execute();
    return { id, key };
  }

  /** The person of a valid session. `find` looks up the account. */
  async find(
    { id, key: given }: SessionKeys,
    find: (name: string) => Promise<StoredPerson | undefined>,
    { isUse }: { isUse: boolean },
  ): Promise<{ person: StoredPerson; expiresAt: number } | undefined> {
    const hash = tokenHash(id);
    const { db } = this.#store;
    const session = await db.selectFrom("login_sessions").selectAll().where("hash", "=", hash).executeTakeFirst();
    if (!session || this.#hasEnded(session) || session.key_hash !== tokenHash(given)) return undefined;
    const person = await find(session.name);
    if (!person || person.sessionKey !== session.session_key) return undefined;
    const now = this.#now();
    // Not worth a write on every request.
    if (isUse && now - session.seen_at > Math.min(60_000, this.#idleMs / 10))
      await db.updateTable("login_sessions").set({ seen_at: now }).where("hash", "=", hash).execute();
    return { person, expiresAt: session.created_at + this.longestMs };
  }

  close(id: string): Promise<boolean> {
    return changesRow(this.#store.db.deleteFrom("login_sessions").where("hash", "=", tokenHash(id)));
  }

  #hasEnded({ created_at, seen_at }: LoginSessionRow): boolean {
    const now = this.#now();
    return now >= seen_at + this.#idleMs || now >= created_at + this.longestMs;
  }

  /** Deletes ended sessions, at most once an hour. */
  async #sweep(): Promise<void> {
    if (this.#now() - this.#sweptAt < 3_600_000) return;
    this.#sweptAt = this.#now();
    await this.#store.db
      .deleteFrom("login_sessions")
      .where((eb) =>
        eb.or([eb("seen_at", "<=", this.#now() - this.#idleMs), eb("created_at", "<=", this.#now() - this.longestMs)]),
      )
      .execute();
  }
}

/** The two secrets of a session. */
export interface SessionKeys {
  readonly id: string;
  readonly key: string;
}
