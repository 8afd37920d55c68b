import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import { entryBytes, storedBytes } from "./memory.ts";
import { hashKey, type HashKey } from "./hash-key.ts";
import type { Value } from "./value.ts";

export interface Entry {
  readonly key: Value;
  value: Value;
}

/** The insertion-ordered table behind dicts and sets. Sets store `null` as every value. */
export class HashTable {
  readonly entries = new Map<HashKey, Entry>();
  frozen = false;
  iterators = 0;
  /** Iterator at the first entry, so that popping from the front does not rescan deleted entries. */
  #front: MapIterator<Entry> | undefined;

  get size(): number {
    return this.entries.size;
  }

  get(thread: Thread, key: Value): Value | undefined {
    return this.entries.get(hashKey(thread, key))?.value;
  }

  has(thread: Thread, key: Value): boolean {
    return this.entries.has(hashKey(thread, key));
  }

  set(thread: Thread, key: Value, value: Value): void {
    this.checkMutable("insert into");
    const hashed = hashKey(thread, key);
    const entry = this.entries.get(hashed);
    if (entry) entry.value = value;
    else {
      thread.allocate(entryBytes + storedBytes(key) + storedBytes(value));
      this.entries.set(hashed, { key, value });
    }
  }

  /** Removes a key and returns its value, or undefined if it was missing. */
  delete(thread: Thread, key: Value): Value | undefined {
    this.checkMutable("delete from");
    if (this.entries.size === 0) return undefined;
    const hashed = hashKey(thread, key);
    const entry = this.entries.get(hashed);
    if (entry) this.entries.delete(hashed);
    return entry?.value;
  }

  first(): Entry | undefined {
    for (;;) {
      this.#front ??= this.entries.values();
      const { value, done } = this.#front.next();
      if (!done) return value;
      this.#front = undefined;
      if (this.entries.size === 0) return undefined;
    }
  }

  /** Removes and returns the oldest entry. */
  shift(thread: Thread): Entry | undefined {
    const entry = this.first();
    if (!entry) return undefined;
    // The iterator has passed the entry. If the deletion throws, the next call must find it again.
    if (this.frozen || this.iterators > 0) this.#front = undefined;
    this.delete(thread, entry.key);
    return entry;
  }

  clear(): void {
    if (this.frozen) throw new Failure("cannot clear frozen hash table");
    if (this.iterators > 0) throw new Failure("cannot clear hash table during iteration");
    this.entries.clear();
    this.#front = undefined;
  }

  checkMutable(verb: string): void {
    if (this.frozen) throw new Failure(`cannot ${verb} frozen hash table`);
    if (this.iterators > 0) throw new Failure(`cannot ${verb} hash table during iteration`);
  }
}
