/** How long a response can be cached, in milliseconds: by its headers, up to an hour, else `defaultMs`. */
export function freshForMs(headers: Readonly<Record<string, string>>, defaultMs: number): number {
  const control = (headers["cache-control"] ?? "").toLowerCase();
  if (/\bno-store\b|\bno-cache\b|\bprivate\b/.test(control) || headers["vary"]?.trim() === "*") return 0;
  const maxAge = /\bmax-age\s*=\s*"?(\d{1,10})/.exec(control)?.[1];
  if (maxAge === undefined) return defaultMs;
  const age = Number(headers["age"] ?? 0) || 0;
  return Math.min(Math.max(0, Number(maxAge) - age) * 1000, 3_600_000);
}

/** A cache with expiry. Evicts the least recently used entries above its limits. */
export class PageCache<T> {
  readonly #now: () => number;
  readonly #maxSize: number;
  readonly #entries = new Map<string, { value: T; size: number; until: number }>();
  #size = 0;

  constructor(options: { now: () => number; maxSize: number }) {
    this.#now = options.now;
    this.#maxSize = options.maxSize;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#drop(key);
    if (entry.until <= this.#now()) return undefined;
    this.#keep(key, entry);
    return entry.value;
  }

  set(key: string, value: T, options: { size: number; forMs: number }): void {
    const { size, forMs } = options;
    this.#drop(key);
    if (forMs <= 0 || size > this.#maxSize / 4) return;
    this.#keep(key, { value, size, until: this.#now() + forMs });
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#maxSize && this.#entries.size <= maxEntries) break;
      this.#drop(oldest);
    }
  }

  #keep(key: string, entry: { value: T; size: number; until: number }): void {
    this.#entries.set(key, entry);
    this.#size += entry.size;
  }

  #drop(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}

const maxEntries = 500;
