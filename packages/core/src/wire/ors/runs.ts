import { randomUUID } from "node:crypto";
import { DetailError } from "../detail-error.ts";
import type { OrsEnd } from "./events.ts";

/** A call that was begun. A client that lost its connection asks for its end by this id. */
export interface OrsRun {
  readonly id: string;
  readonly end: Promise<OrsEnd>;
}

/** The calls of all sessions. A call is made once; its end is kept for a minute. */
export class OrsRuns {
  readonly #runs = new Map<string, OrsRun & { readonly session: object }>();
  /** The ends that are kept, oldest first, with their size. */
  readonly #kept = new Map<string, number>();
  readonly #unfinished = new WeakMap<object, number>();
  #keptBytes = 0;

  /** Begins a call of a session. */
  start(session: object, work: () => Promise<OrsEnd>): OrsRun {
    const unfinished = this.#unfinished.get(session) ?? 0;
    if (unfinished >= maxUnfinished)
      throw new DetailError(429, `A session can have ${maxUnfinished} calls at a time.`, { "retry-after": "1" });
    this.#unfinished.set(session, unfinished + 1);
    const id = randomUUID().replaceAll("-", "");
    const end = work().finally(() => this.#unfinished.set(session, (this.#unfinished.get(session) ?? 1) - 1));
    const run = { id, session, end };
    this.#runs.set(id, run);
    end.then(
      ({ data }) => this.#keep(id, data.length * 2),
      () => this.#drop(id),
    );
    return run;
  }

  /** A call of the session that runs, or ended not long ago. */
  find(session: object, id: string): OrsRun | undefined {
    const run = this.#runs.get(id);
    return run?.session === session ? run : undefined;
  }

  #keep(id: string, bytes: number): void {
    this.#kept.set(id, bytes);
    this.#keptBytes += bytes;
    for (const [oldest] of this.#kept) {
      if (this.#keptBytes <= maxKeptBytes) break;
      this.#drop(oldest);
    }
    setTimeout(() => this.#drop(id), keptMs).unref();
  }

  #drop(id: string): void {
    this.#runs.delete(id);
    this.#keptBytes -= this.#kept.get(id) ?? 0;
    this.#kept.delete(id);
  }
}

const keptMs = 60_000;
export const maxKeptBytes = 64 * 2 ** 20;
/** A call goes on after its client disconnected, so only this limits how many wait for their turn. */
export const maxUnfinished = 64;
