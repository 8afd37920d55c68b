import { callerOf } from "../../call/caller-of.ts";
import type { Principal } from "../../tool/call.ts";
import type { Endpoint } from "./endpoint.ts";
import { EventLog } from "./event-log.ts";
import type { HttpLine } from "./http-line.ts";
import type { Session } from "./session.ts";

/** A session of the older era over HTTP: the handshake, and the streams its messages go by. */
export class HttpSession {
  readonly session: Session;
  readonly log = new EventLog();
  readonly #lines = new Map<string, HttpLine>();
  #streams = 0;

  constructor(session: Session) {
    this.session = session;
  }

  /** The stream that belongs to no request, if there is one. */
  get main(): HttpLine | undefined {
    return this.#lines.get(mainStream);
  }

  /** Whether clients of this revision know streams that begin with an empty event, to have an id to come back with. */
  get primes(): boolean {
    return this.session.client.version >= "2025-11-25";
  }

  get isBusy(): boolean {
    if (this.session.running.size > 0) return true;
    for (const line of this.#lines.values()) if (line.isOpen) return true;
    return false;
  }

  /** Keeps a stream, so that it can be picked up again, and names it. Of those that ended, the last few stay. */
  keep(line: HttpLine, isMain: boolean): string {
    const id = isMain ? mainStream : `s${++this.#streams}`;
    this.#lines.set(id, line);
    const ended = [...this.#lines].filter(([each, { isOpen }]) => each !== mainStream && !isOpen);
    for (const [each] of ended.slice(0, -16)) this.#lines.delete(each);
    return id;
  }

  streamOf(eventId: string): HttpLine | undefined {
    return this.#lines.get(this.log.streamOf(eventId));
  }

  end(): void {
    this.session.close();
    for (const line of this.#lines.values()) line.end();
  }
}

const mainStream = "main";

/** The sessions of an endpoint. Idle ones end, and the longest idle makes room when there are too many. */
export class HttpSessions {
  readonly #endpoint: Endpoint;
  readonly #idleMs: number;
  readonly #most: number;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(endpoint: Endpoint, options: { idleMs: number; most: number }) {
    this.#endpoint = endpoint;
    this.#idleMs = options.idleMs;
    this.#most = options.most;
    this.#sweeper = setInterval(() => this.#sweep(), Math.max(10, Math.min(this.#idleMs / 2, 60_000)));
    this.#sweeper.unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Keeps a new session; false where all places are taken by busy ones. */
  add(session: Session): HttpSession | undefined {
    if (this.#sessions.size >= this.#most && !this.#makeRoom()) {
      this.#endpoint.sessions.delete(session);
      session.close(); // with the seat it was given in an environment
      return undefined;
    }
    const kept = new HttpSession(session);
    session.hangUp = () => this.end(kept);
    this.#sessions.set(session.id, kept);
    return kept;
  }

  /** The session of that id, if it is this principal's; used now. */
  use(id: string, principal: Principal): HttpSession | undefined {
    const found = this.#sessions.get(id);
    if (!found || found.session.principal.kind !== principal.kind || found.session.principal.id !== principal.id)
      return undefined;
    found.session.lastUsedAt = Date.now();
    return found;
  }

  end(kept: HttpSession): void {
    this.#sessions.delete(kept.session.id);
    this.#endpoint.sessions.delete(kept.session);
    kept.end();
  }

  close(): void {
    clearInterval(this.#sweeper);
    for (const session of this.#sessions.values()) this.end(session);
  }

  #sweep(): void {
    const now = Date.now();
    for (const session of this.#sessions.values()) {
      if (now - session.session.lastUsedAt >= this.#idleMs && !session.isBusy) this.end(session);
    }
  }

  /** Among those of whoever has most: one who opens session after session throws nobody else out. */
  #makeRoom(): boolean {
    const counts = new Map<string, number>();
    const countOf = ({ session }: HttpSession) => counts.get(callerOf(session.principal)) ?? 0;
    for (const kept of this.#sessions.values()) counts.set(callerOf(kept.session.principal), countOf(kept) + 1);
    let longest: HttpSession | undefined;
    for (const kept of this.#sessions.values()) {
      if (kept.isBusy) continue;
      const more = longest ? countOf(kept) - countOf(longest) : 1;
      if (more > 0 || (more === 0 && longest && kept.session.lastUsedAt < longest.session.lastUsedAt)) longest = kept;
    }
    if (longest) this.end(longest);
    return longest !== undefined;
  }
}
