import type { Store, StoredRecord } from "./store.ts";

/** A store in memory. Records are kept as JSON, so later mutation by the caller has no effect. */
export function memoryStore(): Store {
  const collections = new Map<string, Collection>();
  const collectionOf = (name: string) => {
    const known = collections.get(name) ?? new Collection();
    collections.set(name, known);
    return known;
  };
  return {
    async get(collection, key) {
      return collectionOf(collection).get(key);
    },
    async put(collection, key, record) {
      collectionOf(collection).put(key, record);
    },
    async delete(collection, key) {
      return collectionOf(collection).delete(key);
    },
    async change(collection, key, change) {
      const records = collectionOf(collection);
      const before = records.get(key);
      const after = change(before);
      if (after !== undefined && after !== before) records.put(key, after);
      return after ?? before;
    },
    async list(collection, { after = "", limit = 1000 } = {}) {
      return collectionOf(collection).page(after, limit);
    },
    async close() {},
    async [Symbol.asyncDispose]() {},
  };
}

/** Records by key. The sorted keys are computed on the first `list` after a change. */
class Collection {
  readonly #records = new Map<string, string>();
  #keys: readonly string[] | undefined = [];

  get(key: string): StoredRecord | undefined {
    const json = this.#records.get(key);
    return json === undefined ? undefined : (JSON.parse(json) as StoredRecord);
  }

  put(key: string, record: StoredRecord): void {
    if (!this.#records.has(key)) this.#keys = undefined;
    this.#records.set(key, JSON.stringify(record));
  }

  delete(key: string): boolean {
    const isGone = this.#records.delete(key);
    if (isGone) this.#keys = undefined;
    return isGone;
  }

  page(after: string, limit: number): (readonly [string, StoredRecord])[] {
    this.#keys ??= [...this.#records.keys()].sort();
    const start = this.#keys.findIndex((key) => key > after);
    if (start === -1) return [];
    return this.#keys
      .slice(start, start + limit)
      .map((key) => [key, JSON.parse(this.#records.get(key) ?? "{}") as StoredRecord]);
  }
}
