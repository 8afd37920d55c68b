import type { Store } from "../../store/store.ts";
import { newToken, tokenHash } from "../access/token.ts";

const prefix = "biplane_k_";

/**
 * Keys that let a person in once, without a passphrase: for a link in the terminal of whoever started the program. People
 * that were opened without them take none.
 */
export class SignInKeys {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The key itself is here and never again. */
  async make(name: string): Promise<string> {
    // Short enough for its link to stand in one line of a terminal, where it can be clicked.
    const key = newToken(prefix, 16);
    await this.#store.put(collection, tokenHash(key), { name });
    return key;
  }

  /** Whose it is. Whoever comes second with it, even at the same moment, comes too late. */
  async take(key: string): Promise<string | undefined> {
    if (!key.startsWith(prefix) || key.length > 100) return undefined;
    const hash = tokenHash(key);
    const record = await this.#store.get(collection, hash);
    if (typeof record?.["name"] !== "string") return undefined;
    return (await this.#store.delete(collection, hash)) ? record["name"] : undefined;
  }
}

const collection = "sign-in-keys";
