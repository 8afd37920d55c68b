import { Shares, chargedTo } from "@biplane/core/internal";
import type { LiveCall, Share } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { Call } from "@biplane/core";

/** A resource that a caller keeps between calls. */
export interface CallerResource extends AsyncDisposable {
  /** True if it has ended by itself and must be replaced. */
  readonly isGone?: boolean;
  /** Its state as plain data, for an episode snapshot. */
  save?(): Promise<unknown>;
}

export interface PerCallerOptions<T extends CallerResource> {
  /** Plural name of the resources, for error messages and snapshots. */
  readonly what: string;
  /** Opens a resource for the caller who is charged for it. */
  readonly open: (saved: unknown, caller: string | undefined) => Promise<T>;
  /** Maximum number at once. One principal can have a fifth of them. */
  readonly maxEntries: number;
  /** An unused resource is closed after this time. */
  readonly idleMs: number;
}

/** Keeps one resource per episode, else per session, else per principal. Calls of one caller use it one at a time. */
export class PerCaller<T extends CallerResource> implements AsyncDisposable {
  readonly #options: PerCallerOptions<T>;
  readonly #entries = new Map<string, ResourceEntry<T>>();
  readonly #places: Shares;
  #isClosed = false;

  constructor(options: PerCallerOptions<T>) {
    this.#options = options;
    const { what, maxEntries: total } = options;
    this.#places = new Shares(what, { perCaller: Math.ceil(total / 5), total });
  }

  /** Runs `use` with the caller's resource, which is created if needed. */
  async use<R>(call: Call, use: (resource: T) => Promise<R>): Promise<R> {
    const key = keyOf(call);
    const entry = this.#find(key) ?? (await this.#make(key, call));
    return this.#use(key, entry, async () => {
      const resource = await entry.resource;
      call.signal.throwIfAborted(); // the call may have been cancelled while it waited
      return use(resource);
    });
  }

  /** True if the caller has a resource. */
  has(call: Call): boolean {
    return this.#find(keyOf(call)) !== undefined;
  }

  /** Closes the caller's resource, even while it is in use. False if there was none. */
  async drop(call: Call): Promise<boolean> {
    return this.#end(keyOf(call));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#entries.keys()].map((key) => this.#end(key)));
  }

  #find(key: string): ResourceEntry<T> | undefined {
    const entry = this.#entries.get(key);
    if (!entry?.ready?.isGone) return entry;
    void this.#end(key);
    return undefined;
  }

  async #make(key: string, call: Call): Promise<ResourceEntry<T>> {
    const { scope } = call as LiveCall;
    if (!scope) return this.#open(key, undefined, call);
    // Register with the episode, so that the resource is saved and closed with it.
    let savedState: unknown;
    await scope.resources.get(this.#options.what, async (saved) => {
      savedState = saved;
      return {
        save: async () => (await this.#entries.get(key)?.resource)?.save?.(),
        close: async () => void (await this.#end(key)),
      };
    });
    return this.#find(key) ?? this.#open(key, savedState, call);
  }

  #open(key: string, saved: unknown, { principal }: Call): ResourceEntry<T> {
    if (this.#isClosed) throw new BiplaneError("CANCELLED", "The server is closing.");
    const caller = chargedTo(principal);
    const place = this.#places.take(caller);
    const entry: ResourceEntry<T> = {
      resource: this.#options.open(saved, caller),
      place,
      ready: undefined,
      queue: Promise.resolve(),
      uses: 0,
      idle: undefined,
    };
    this.#entries.set(key, entry);
    entry.resource.then(
      (resource) => (entry.ready = resource),
      () => {
        place.release();
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return entry;
  }

  async #use<R>(key: string, entry: ResourceEntry<T>, use: () => Promise<R>): Promise<R> {
    clearTimeout(entry.idle);
    entry.uses++;
    const result = entry.queue.then(use);
    entry.queue = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      if (--entry.uses === 0 && this.#find(key) === entry) {
        entry.idle = setTimeout(() => void this.#end(key), this.#options.idleMs).unref();
      }
    }
  }

  async #end(key: string): Promise<boolean> {
    const entry = this.#entries.get(key);
    if (!entry) return false;
    this.#entries.delete(key);
    clearTimeout(entry.idle);
    const resource = await entry.resource.catch(() => undefined); // a resource that failed to open needs no closing
    await resource?.[Symbol.asyncDispose]();
    entry.place.release();
    return true;
  }
}

interface ResourceEntry<T> {
  readonly resource: Promise<T>;
  /** Its place among the resources that can be open at once. */
  readonly place: Share;
  ready: T | undefined;
  /** Settles when all uses so far have ended. */
  queue: Promise<unknown>;
  uses: number;
  idle: NodeJS.Timeout | undefined;
}

function keyOf({ episode, principal, session }: Call): string {
  return JSON.stringify(episode === undefined ? [principal.kind, principal.id, session ?? null] : [episode]);
}
