import { createHash, randomUUID } from "node:crypto";
import { BiplaneError } from "@biplane/core";
import type { Store } from "@biplane/core";

export interface LoginThrottleOptions {
  /** Failed attempts in a row before pauses start (default: 5). */
  readonly free?: number;
  /** Length of the first pause; each further one doubles (default: 1000). */
  readonly firstMs?: number;
  /** Maximum pause, so that nobody is locked out for good (default: 60,000). */
  readonly longestMs?: number;
  /** Time without attempts after which the count resets (default: 15 minutes). */
  readonly forgetMs?: number;
  readonly now?: () => number;
}

/** Slows down guessing: after some failed attempts, each further one has to wait, in every process on the same store. */
export class LoginThrottle {
  readonly #store: Store;
  readonly #options: Required<LoginThrottleOptions>;
  #sweptTo = "";

  constructor(store: Store, options: LoginThrottleOptions = {}) {
    const { free = 5, firstMs = 1000, longestMs = 60_000, forgetMs = 15 * 60_000, now = Date.now } = options;
    this.#store = store;
    this.#options = { free, firstMs, longestMs, forgetMs, now };
  }

  /**
   * Counts an attempt as failed before it is made, so that parallel attempts all count. `undo` and `reset` revert it.
   * Attempts during a pause do not count, so that pauses end.
   */
  async count(keys: readonly string[]): Promise<void> {
    for (const [at, key] of keys.entries()) {
      const waitMs = await this.#countOne(key);
      if (waitMs === 0) continue;
      await this.undo(keys.slice(0, at));
      throw new BiplaneError("RATE_LIMITED", `Too many failed attempts. Try again in ${Math.ceil(waitMs / 1000)} s.`, {
        details: { retryAfterMs: waitMs },
      });
    }
    await this.#sweep();
  }

  /** Reverts a counted attempt. No pause was active when it was made, so none is now. */
  async undo(keys: readonly string[]): Promise<void> {
    for (const key of keys)
      await this.#store.change(collection, recordKey(key), (record) => {
        const attempts = record as Attempts | undefined;
        return attempts && { ...attempts, count: Math.max(0, attempts.count - 1), notBefore: 0 };
      });
  }

  /** Forgets all attempts under this key after a successful login. */
  async reset(key: string): Promise<void> {
    await this.#store.delete(collection, recordKey(key));
  }

  /** Returns 0, or how long to wait. */
  async #countOne(key: string): Promise<number> {
    const { forgetMs } = this.#options;
    const now = this.#options.now();
    const attempt = randomUUID();
    const after = (await this.#store.change(collection, recordKey(key), (record) => {
      const before = record as Attempts | undefined;
      const isRecent = before !== undefined && now - before.at <= forgetMs;
      if (isRecent && before.notBefore > now) return before;
      const count = (isRecent ? before.count : 0) + 1;
      return { attempt, count, at: now, notBefore: now + this.#pauseMs(count) };
    })) as Attempts | undefined;
    return after === undefined || after.attempt === attempt ? 0 : after.notBefore - now;
  }

  #pauseMs(count: number): number {
    const { free, firstMs, longestMs } = this.#options;
    const over = count - free;
    return over < 0 ? 0 : Math.min(longestMs, firstMs * 2 ** Math.min(over, 30));
  }

  /** Deletes old counts, 20 records per attempt, continuing where the last sweep stopped. */
  async #sweep(): Promise<void> {
    const { forgetMs, now } = this.#options;
    const page = await this.#store.list(collection, { after: this.#sweptTo, limit: 20 });
    this.#sweptTo = page.length < 20 ? "" : (page.at(-1)?.[0] ?? "");
    for (const [key, record] of page)
      if (now() - (record as unknown as Attempts).at > forgetMs) await this.#store.delete(collection, key);
  }
}

interface Attempts extends Readonly<Record<string, unknown>> {
  /** The last one that was counted. */
  readonly attempt: string;
  readonly count: number;
  readonly at: number;
  readonly notBefore: number;
}

/** A caller may send a name of any length, which the store need not contain. */
function recordKey(key: string): string {
  return createHash("sha256").update(key).digest("base64url");
}

const collection = "login attempts";
