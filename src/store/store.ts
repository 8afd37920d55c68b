/**
 * Where durable things live: records of JSON in named collections. Every write has reached the disk when its promise
 * resolves.
 */
export interface Store extends AsyncDisposable {
  get(collection: string, key: string): Promise<StoredRecord | undefined>;
  put(collection: string, key: string, record: StoredRecord): Promise<void>;
  delete(collection: string, key: string): Promise<boolean>;
  /** Records in the order of their keys. */
  list(
    collection: string,
    options?: { after?: string; limit?: number },
  ): Promise<readonly (readonly [string, StoredRecord])[]>;
  close(): Promise<void>;
}

export type StoredRecord = { readonly [key: string]: unknown };
