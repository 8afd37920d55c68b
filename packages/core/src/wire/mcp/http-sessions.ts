import { chain } from "../../chain.ts";
import { callerOf, chargedTo } from "../../call/caller-of.ts";
import { Shares } from "../../call/shares.ts";
import type { Share } from "../../call/shares.ts";
import type { Principal } from "../../tool/call.ts";
import type { Endpoint } from "./endpoint.ts";
import { EventLog, readEventId } from "./event-log.ts";
import type { HttpReplyChannel } from "./http-reply-channel.ts";
import { McpSession } from "./session.ts";
import { SessionRelay } from "./session-relay.ts";
import { SessionStore } from "./session-store.ts";
import { SharedEvents } from "./shared-events.ts";

/** A session of the legacy era over HTTP, with its event streams. */
export class HttpSession {
  readonly session: McpSession;
  readonly log: EventLog;
  /** Set if other processes may serve the session too. */
  readonly shared: SharedEvents | undefined;
  readonly #place: Share;
  readonly #channels = new Map<string, HttpReplyChannel>();
  #streams = 0;
  /** When it was last looked up in the store, and when its use was last noted there. */
  checkedAt = Date.now();
  touchedAt = this.checkedAt;

  /** `place` is what the session holds of the places for sessions. */
  constructor(session: McpSession, place: Share, shared?: SharedEvents) {
    this.session = session;
    this.log = new EventLog(chargedTo(session.principal), shared);
    this.shared = shared;
    this.#place = place;
  }

  /** The stream opened by GET, which belongs to no request. */
  get mainStream(): HttpReplyChannel | undefined {
    return this.#channels.get(this.log.streamId(mainStreamName));
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
    const main = this.log.streamId(mainStreamName);
    const id = isMain ? main : this.log.streamId(`s${++this.#streams}`);
    this.#channels.set(id, channel);
    const ended = [...this.#channels].filter(([each, { isOpen }]) => each !== main && !isOpen);
    for (const [each] of ended.slice(0, -16)) this.#channels.delete(each);
    return id;
  }

  streamOf(eventId: string): HttpReplyChannel | undefined {
    return this.#channels.get(readEventId(eventId).stream);
  }

  end(isLeft: boolean): void {
    this.session.close(isLeft);
    for (const channel of this.#channels.values()) channel.end();
    this.log.clear();
    this.#place.release();
  }
}

const mainStreamName = "main";

/** True for the main streams of all processes. */
export function isMainStream(stream: string): boolean {
  return stream === mainStreamName || stream.startsWith(`${mainStreamName}-`);
}

/**
 * The HTTP sessions of an endpoint. Idle ones end; at the limit, the longest idle one is evicted. One caller can hold a
 * tenth of them.
 */
export class HttpSessions {
  readonly #endpoint: Endpoint;
  readonly #idleMs: number;
  readonly #store: SessionStore;
  /** Sessions of other processes that are being loaded, by id. */
  readonly #loading = new Map<string, Promise<HttpSession | undefined>>();
  readonly #places: Shares;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #sweeper: NodeJS.Timeout;
  /** Tells other processes what concerns a session. */
  readonly relay: SessionRelay;

  constructor(endpoint: Endpoint, options: { idleMs: number; maxSessions: number }) {
    this.#endpoint = endpoint;
    this.#idleMs = options.idleMs;
    this.#store = new SessionStore(endpoint.server, options.idleMs);
    if (endpoint.resolver) endpoint.resolver.loadSession = async (id) => (await this.#find(id))?.session;
    this.relay = new SessionRelay(endpoint.server, {
      find: (id) => this.#sessions.get(id)?.session,
      onChanged: (id) => void this.#reload(id),
      onEnded: (id) => this.#dropById(id),
    });
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
      session.close(this.#store.isUsed); // also closes its episode slot
      return undefined;
    }
    const kept = new HttpSession(session, place, this.#sharedEvents(session));
    session.onSettings = () => this.#saveSettings(session);
    session.disconnect = () => {
      this.end(kept).catch((fault: unknown) => this.#endpoint.server.report(fault, "ending a session"));
    };
    this.#sessions.set(session.id, kept);
    return kept;
  }

  /** Stores a new session, if other processes may have to serve it. */
  save({ session }: HttpSession): Promise<void> | undefined {
    return this.#store.isUsed ? this.#store.save(session) : undefined;
  }

  /** Finds a session of this principal and marks it as used. Another process may have begun it. */
  use(id: string, principal: Principal): HttpSession | undefined | Promise<HttpSession | undefined> {
    return chain(this.#find(id), (found) => {
      if (!found || found.session.principal.kind !== principal.kind || found.session.principal.id !== principal.id)
        return undefined;
      const now = Date.now();
      if (this.#store.isUsed && now - found.touchedAt > Math.min(touchEveryMs, this.#idleMs / 3)) {
        found.touchedAt = now;
        this.#store.touch(id).catch((fault: unknown) => this.#endpoint.server.report(fault, "the session store"));
      }
      found.session.lastUsedAt = now;
      return found;
    });
  }

  /** Ends a session in all processes. */
  async end(kept: HttpSession): Promise<void> {
    const { id } = kept.session;
    if (this.#store.isUsed) await this.#store.remove(id);
    this.#drop(kept, false);
    kept.shared?.clear();
    await this.relay.ended(id);
  }

  close(): void {
    this.relay.close();
    clearInterval(this.#sweeper);
    for (const session of this.#sessions.values()) this.#drop(session, this.#store.isUsed);
  }

  /** Ends a session in this process. Another one may continue it. */
  #drop(kept: HttpSession, isLeft: boolean): void {
    this.#sessions.delete(kept.session.id);
    this.#endpoint.sessions.delete(kept.session);
    kept.end(isLeft);
  }

  /** A session that is here is looked up again from time to time: another process may have ended it. */
  #find(id: string): HttpSession | undefined | Promise<HttpSession | undefined> {
    const here = this.#sessions.get(id);
    if (!this.#store.isUsed || (here && (here.isBusy || Date.now() - here.checkedAt < checkEveryMs))) return here;
    let loading = this.#loading.get(id);
    if (!loading) {
      loading = this.#load(id).finally(() => this.#loading.delete(id));
      this.#loading.set(id, loading);
    }
    return loading;
  }

  async #load(id: string): Promise<HttpSession | undefined> {
    const stored = await this.#store.load(id);
    const here = this.#sessions.get(id);
    if (here && stored) {
      here.checkedAt = Date.now();
      here.session.restore(stored.settings);
      return here;
    }
    if (here) this.#drop(here, false);
    if (!stored) return undefined;
    let kept: HttpSession | undefined;
    const deliver = (message: string) => kept?.mainStream?.send(message);
    const session = new McpSession(stored.client, Object.freeze(stored.principal), { deliver, id });
    session.extra = stored.extra;
    session.restore(stored.settings);
    this.#endpoint.resolver?.restore(session);
    this.#endpoint.sessions.add(session);
    kept = this.add(session);
    return kept;
  }

  #dropById(id: string): void {
    const kept = this.#sessions.get(id);
    if (kept) this.#drop(kept, false);
  }

  /** Reads what another process has changed in a session. */
  async #reload(id: string): Promise<void> {
    const kept = this.#sessions.get(id);
    if (!kept) return;
    kept.checkedAt = 0;
    await this.#load(id).catch((fault: unknown) => this.#endpoint.server.report(fault, "the session store"));
  }

  /** Stores what a client has set, so that other processes know it too. */
  async #saveSettings(session: McpSession): Promise<void> {
    if (!this.#store.isUsed) return;
    await this.#store.saveSettings(session);
    await this.relay.changed(session.id);
  }

  #sharedEvents({ id }: McpSession): SharedEvents | undefined {
    const { server } = this.#endpoint;
    const report = (fault: unknown) => server.report(fault, "the events of a session");
    return server.fleet && new SharedEvents(server.fleet, { session: id, report });
  }

  #sweep(): void {
    const now = Date.now();
    for (const session of this.#sessions.values()) {
      if (now - session.session.lastUsedAt >= this.#idleMs && !session.isBusy) this.#drop(session, this.#store.isUsed);
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
    if (longest) this.#drop(longest, this.#store.isUsed);
    return longest !== undefined;
  }
}

const checkEveryMs = 1000;
const touchEveryMs = 60_000;

/** With few sessions in all, a caller can still have some at once. */
const minPerCaller = 10;
