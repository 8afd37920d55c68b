import type { SqlStore } from "../../store/sql-store.ts";
import { newToken, tokenHash } from "../access/token.ts";

const prefix = "biplane_k_";

/**
 * One-time keys that sign a person in without a passphrase, for the link in the terminal of the user who started the
 * program.
 */
export class SignInKeys {
  readonly #store: SqlStore;

  constructor(store: SqlStore) {
    this.#store = store;
  }

  /** The key itself is returned only here. */
  async make(name: string): Promise<string> {
    // Short enough for the link to fit in one terminal line, where it can be clicked.
    const key = newToken(prefix, 16);
    await this.#store.db
      .insertInto("sign_in_keys")
      .values({ hash: tokenHash(key), name })
      .execute();
    return key;
  }

  /** Consumes a key and returns the person's name. If two requests use it at once, only one succeeds. */
  async take(key: string): Promise<string | undefined> {
    if (!key.startsWith(prefix) || key.length > 100) return undefined;
    const taken = this.#store.db.deleteFrom("sign_in_keys").where("hash", "=", tokenHash(key)).returning("name");
    return (await taken.executeTakeFirst())?.name;
  }
}
