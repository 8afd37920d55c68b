import type { LiveCall } from "../../call/live-call.ts";
import { BiplaneError } from "../../errors.ts";
import type { Call } from "../../tool/call.ts";

/** Something that is kept for a caller from one call to the next. */
export interface Kept extends AsyncDisposable {
  /** Whether it ended by itself and is of no more use. */
  readonly isGone?: boolean;
  /** As plain data, for an episode's snapshot. */
  save?(): Promise<unknown>;
}

export interface PerCallerOptions<T extends Kept> {
  /** What the things are called, for errors and in snapshots: several of them. */
  readonly what: string;
  readonly open: (saved: unknown) => Promise<T>;
  /** How many there may be at once. */
  readonly most: number;
  /** How long one may go unused. */
  readonly idleMs: number;
}

/**
 * Keeps one thing for each caller: its episode, else its session, else whoever it is proven to be. The calls of one
 * caller use it one at a time.
 */
export class PerCaller<T extends Kept> implements AsyncDisposable {
  readonly #options: PerCallerOptions<T>;
  readonly #places = new Map<string, Place<T>>();
  #isClosed = false;

  constructor(options: PerCallerOptions<T>) {
    this.#options = options;
  }

  /** Lends the caller's thing to `use`; makes it where there is none. */
  async lend<R>(call: Call, use: (thing: T) => Promise<R>): Promise<R> {
    const key = keyOf(call);
    const place = this.#find(key) ?? (await this.#make(key, call));
    return this.#use(key, place, async () => {
      const thing = await place.thing;
      call.signal.throwIfAborted(); // it may have waited long
      return use(thing);
    });
  }

  /** Whether the caller has one. */
  has(call: Call): boolean {
    return this.#find(keyOf(call)) !== undefined;
  }

  /** Ends the caller's thing, even while it is in use. Says whether there was one. */
  async drop(call: Call): Promise<boolean> {
    return this.#end(keyOf(call));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#places.keys()].map((key) => this.#end(key)));
  }

  #find(key: string): Place<T> | undefined {
    const place = this.#places.get(key);
    if (!place?.ready?.isGone) return place;
    void this.#end(key);
    return undefined;
  }

  async #make(key: string, call: Call): Promise<Place<T>> {
    const { scope } = call as LiveCall;
    if (!scope) return this.#open(key, undefined);
    // The episode is told of it: it is saved with the episode, and ends with it.
    let before: unknown;
    await scope.belongings.get(this.#options.what, async (saved) => {
      before = saved;
      return {
        save: async () => (await this.#places.get(key)?.thing)?.save?.(),
        close: async () => void (await this.#end(key)),
      };
    });
    return this.#find(key) ?? this.#open(key, before);
  }

  #open(key: string, saved: unknown): Place<T> {
    const { what, open, most } = this.#options;
    if (this.#isClosed) throw new BiplaneError("CANCELLED", "the server is closing");
    if (this.#places.size >= most) {
      throw new BiplaneError("CAPACITY", `all ${most} ${what} are in use; try again later`);
    }
    const place: Place<T> = { thing: open(saved), ready: undefined, turn: Promise.resolve(), uses: 0, idle: undefined };
    this.#places.set(key, place);
    place.thing.then(
      (thing) => (place.ready = thing),
      () => this.#places.get(key) === place && this.#places.delete(key),
    );
    return place;
  }

  async #use<R>(key: string, place: Place<T>, use: () => Promise<R>): Promise<R> {
    clearTimeout(place.idle);
    place.uses++;
    const mine = place.turn.then(use);
    place.turn = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      if (--place.uses === 0 && this.#find(key) === place) {
        place.idle = setTimeout(() => void this.#end(key), this.#options.idleMs).unref();
      }
    }
  }

  async #end(key: string): Promise<boolean> {
    const place = this.#places.get(key);
    if (!place) return false;
    this.#places.delete(key);
    clearTimeout(place.idle);
    const thing = await place.thing.catch(() => undefined); // what never opened needs no closing
    await thing?.[Symbol.asyncDispose]();
    return true;
  }
}

interface Place<T> {
  readonly thing: Promise<T>;
  ready: T | undefined;
  /** Settled when nobody uses it. */
  turn: Promise<unknown>;
  uses: number;
  idle: NodeJS.Timeout | undefined;
}

function keyOf({ episode, principal, session }: Call): string {
  return JSON.stringify(episode === undefined ? [principal.kind, principal.id, session ?? null] : [episode]);
}
