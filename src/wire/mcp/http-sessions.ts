import type { Principal } from "../../tool/call.ts";
import type { Endpoint } from "./endpoint.ts";
import { EventLog } from "./event-log.ts";
import type { HttpLine } from "./http-line.ts";
import type { Session } from "./session.ts";

/** A session of the older era over HTTP: the handshake, and the streams its messages go by. */
export interface HttpSession {
  readonly session: Session;
  readonly log: EventLog;
  /** Streams that can still carry something, by id; the one named "main" belongs to no request. */
  readonly lines: Map<string, HttpLine>;
  lastUsed: number;
}

/** The sessions of an endpoint. Idle ones end, and the longest idle makes room when there are too many. */
export class HttpSessions {
  readonly #endpoint: Endpoint;
  readonly #idleMs: number;
  readonly #most: number;
  /** In order of last use, the longest idle first. */
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
      return undefined;
    }
    const kept = { session, log: new EventLog(), lines: new Map<string, HttpLine>(), lastUsed: Date.now() };
    this.#sessions.set(session.id, kept);
    return kept;
  }

  /** The session of that id, if it is this principal's; used now. */
  use(id: string, principal: Principal): HttpSession | undefined {
    const found = this.#sessions.get(id);
    if (!found || found.session.principal.kind !== principal.kind || found.session.principal.id !== principal.id)
      return undefined;
    found.lastUsed = Date.now();
    this.#sessions.delete(id);
    this.#sessions.set(id, found);
    return found;
  }

  end({ session, lines }: HttpSession): void {
    this.#sessions.delete(session.id);
    this.#endpoint.sessions.delete(session);
    session.close();
    for (const line of lines.values()) line.end();
  }

  close(): void {
    clearInterval(this.#sweeper);
    for (const session of this.#sessions.values()) this.end(session);
  }

  #sweep(): void {
    const now = Date.now();
    for (const session of this.#sessions.values()) {
      if (now - session.lastUsed < this.#idleMs) return;
      if (!isBusy(session)) this.end(session);
    }
  }

  #makeRoom(): boolean {
    for (const session of this.#sessions.values()) {
      if (isBusy(session)) continue;
      this.end(session);
      return true;
    }
    return false;
  }
}

function isBusy({ session, lines }: HttpSession): boolean {
  if (session.running.size > 0) return true;
  for (const line of lines.values()) if (line.isOpen) return true;
  return false;
}
