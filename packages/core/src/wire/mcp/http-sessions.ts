import { callerOf, chargedTo } from "../../call/caller-of.ts";
import { Shares } from "../../call/shares.ts";
import type { Share } from "../../call/shares.ts";
import type { Principal } from "../../tool/call.ts";
import type { Endpoint } from "./endpoint.ts";
import { EventLog } from "./event-log.ts";
import type { HttpReplyChannel } from "./http-reply-channel.ts";
import type { McpSession } from "./session.ts";

/** A session of the legacy era over HTTP, with its event streams. */
export class HttpSession {
  readonly session: McpSession;
  readonly log: EventLog;
  readonly #place: Share;
  readonly #channels = new Map<string, HttpReplyChannel>();
  #streams = 0;

  /** `place` is what the session holds of the places for sessions. */
  constructor(session: McpSession, place: Share) {
    this.session = session;
    this.log = new EventLog(chargedTo(session.principal));
    this.#place = place;
  }

  /** The stream opened by GET, which belongs to no request. */
  get mainStream(): HttpReplyChannel | undefined {
    return this.#channels.get(mainStreamId);
  }

  /** From 2025-11-25 on, streams begin with an empty event, whose id lets the client resume. */
  get sendsPrimingEvent(): boolean {
    return this.session.client.version >= "2025-11-25";
  }

  get isBusy(): boolean {
    if (this.session.running.size > 0) return true;
    for (const channel of this.#channels.values()) if (channel.isOpen) return true;
    return false;
  }

  /** Registers a stream so that the client can resume it, and returns its id. Keeps the last 16 ended streams. */
  addStream(channel: HttpReplyChannel, isMain: boolean): string {
    const id = isMain ? mainStreamId : `s${++this.#streams}`;
    this.#channels.set(id, channel);
    const ended = [...this.#channels].filter(([each, { isOpen }]) => each !== mainStreamId && !isOpen);
    for (const [each] of ended.slice(0, -16)) this.#channels.delete(each);
    return id;
  }

  streamOf(eventId: string): HttpReplyChannel | undefined {
    return this.#channels.get(this.log.streamOf(eventId));
  }

  end(): void {
    this.session.close();
    for (const channel of this.#channels.values()) channel.end();
    this.log.clear();
    this.#place.release();
  }
}

const mainStreamId = "main";

/**
 * The HTTP sessions of an endpoint. Idle ones end; at the limit, the longest idle one is evicted. One caller can hold a
 * tenth of them.
 */
export class HttpSessions {
  readonly #endpoint: Endpoint;
  readonly #idleMs: number;
  readonly #places: Shares;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(endpoint: Endpoint, options: { idleMs: number; maxSessions: number }) {
    this.#endpoint = endpoint;
    this.#idleMs = options.idleMs;
    const { maxSessions: total } = options;
    this.#places = new Shares("sessions", { perCaller: Math.max(minPerCaller, total / 10), total });
    this.#sweeper = setInterval(() => this.#sweep(), Math.max(10, Math.min(this.#idleMs / 2, 60_000)));
    this.#sweeper.unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Adds a session. Undefined if the limit is reached and every session is busy. */
  add(session: McpSession): HttpSession | undefined {
    const place = this.#places.open(chargedTo(session.principal));
    while (place.resize(1)) {
      if (this.#evict(session.principal)) continue;
      this.#endpoint.sessions.delete(session);
      session.close(); // also closes its episode slot
      return undefined;
    }
    const kept = new HttpSession(session, place);
    session.disconnect = () => this.end(kept);
    this.#sessions.set(session.id, kept);
    return kept;
  }

  /** Finds a session of this principal and marks it as used. */
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

  /**
   * Evicts a session of the caller with the most sessions, so that one caller cannot evict everyone else's. A caller at
   * its own limit loses one of its own.
   */
  #evict(principal: Principal): boolean {
    const caller = chargedTo(principal);
    const isFull = caller !== undefined && this.#places.heldBy(caller) >= this.#places.limits.perCaller;
    const counts = new Map<string, number>();
    const countOf = ({ session }: HttpSession) => counts.get(callerOf(session.principal)) ?? 0;
    for (const kept of this.#sessions.values()) counts.set(callerOf(kept.session.principal), countOf(kept) + 1);
    let longest: HttpSession | undefined;
    for (const kept of this.#sessions.values()) {
      if (kept.isBusy || (isFull && chargedTo(kept.session.principal) !== caller)) continue;
      const more = longest ? countOf(kept) - countOf(longest) : 1;
      if (more > 0 || (more === 0 && longest && kept.session.lastUsedAt < longest.session.lastUsedAt)) longest = kept;
    }
    if (longest) this.end(longest);
    return longest !== undefined;
  }
}

/** With few sessions in all, a caller can still have some at once. */
const minPerCaller = 10;
