import type { EpisodeStorage } from "./episode-storage.ts";

/** Durable storage of JSON records in named collections. A resolved write is on disk. */
export interface Store extends AsyncDisposable {
  get(collection: string, key: string): Promise<StoredRecord | undefined>;
  put(collection: string, key: string, record: StoredRecord): Promise<void>;
  delete(collection: string, key: string): Promise<boolean>;
  /**
   * Atomically replaces a record with the result of `change`. The same record or undefined leaves it unchanged.
   * Resolves to the record afterwards.
   */
  change(
    collection: string,
    key: string,
    change: (record: StoredRecord | undefined) => StoredRecord | undefined,
  ): Promise<StoredRecord | undefined>;
  /** Records in key order. */
  list(
    collection: string,
    options?: { after?: string; limit?: number },
  ): Promise<readonly (readonly [string, StoredRecord])[]>;
  close(): Promise<void>;
  /** Where episodes are saved after every step, if the store can do that. */
  readonly episodes?: EpisodeStorage;
  /** True if processes on several machines may use it at the same time. */
  readonly isShared?: boolean;
}

export type StoredRecord = { readonly [key: string]: unknown };
