import { callerOf } from "../call/caller-of.ts";
import type { LiveCall } from "../call/live-call.ts";
import type { Environment } from "../environment/environment.ts";
import type { Episode } from "../environment/episode.ts";
import type { StartOptions } from "../environment/episodes.ts";
import { BiplaneError } from "../errors.ts";
import type { Principal } from "../tool/call.ts";

/**
 * Sessions of a trainer's protocol, each with one episode. A session belongs to the principal that opened it; others
 * do not find it. Where episodes are stored, every process finds it.
 */
export class EpisodeSessions<Info> {
  readonly #environments: readonly Environment[];
  readonly #options: EpisodeSessionsOptions;
  readonly #sessions = new Map<string, EpisodeSession<Info>>();
  /** Keys of the sessions that ended last, oldest first. */
  readonly #ended = new Set<string>();
  #sweeper: NodeJS.Timeout | undefined;

  constructor(environments: readonly Environment[], options: EpisodeSessionsOptions) {
    this.#environments = environments;
    this.#options = options;
  }

  /** Opens a session, whose episode starts at once. Throws if the id is in use, or if there are too many sessions. */
  open(id: string, principal: Principal, plan: SessionPlan<Info>): EpisodeSession<Info> {
    const key = sessionKey(id, principal);
    if (this.#sessions.has(key)) throw new BiplaneError("CONFLICT", "Session already exists");
    const { maxSessions } = this.#options;
    if (this.#sessions.size >= maxSessions) {
      const message = `All ${maxSessions} sessions are in use. Close some, or raise maxSessions.`;
      throw new BiplaneError("CAPACITY", message);
    }
    const { environment, info } = plan;
    const session = this.#add(key, { environment, info, starting: this.#start(key, plan) });
    session.starting.catch(() => this.#forget(session));
    return session;
  }

  async #start(key: string, { environment, info, start }: SessionPlan<Info>): Promise<Episode> {
    const { episodes } = environment;
    const episode = await episodes.start(start);
    // The sweeper of the sessions ends it, unless other processes may use it too.
    if (!episodes.names) episodes.attach(episode);
    const stored: StoredSession<Info> = { episode: episode.id, info };
    await episodes.names?.set(this.#nameOf(key), JSON.stringify(stored));
    return episode;
  }

  /** The session of a caller. `ended` if there was one. */
  async find(id: string, principal: Principal): Promise<EpisodeSession<Info> | "ended" | undefined> {
    const key = sessionKey(id, principal);
    const session = this.#sessions.get(key) ?? (await this.#restore(key));
    if (!session) return this.#ended.has(key) ? "ended" : undefined;
    session.lastUsed = Date.now();
    return session;
  }

  /** The episode of a session, as other processes may have left it. Undefined if it is gone. */
  async episodeOf({ environment, starting }: EpisodeSession<Info>): Promise<Episode | undefined> {
    const episode = await environment.episodes.find((await starting).id);
    if (episode) episode.lastUsed = Date.now();
    return episode;
  }

  /** Ends a session, its calls and its episode. */
  async end(session: EpisodeSession<Info>): Promise<void> {
    const { environment, starting, calls } = session;
    this.#forget(session);
    this.#retire(session.key);
    for (const call of calls) call.cancel("The session was closed.");
    const { episodes } = environment;
    const started = await starting.catch(() => undefined);
    const episode = started && (await episodes.find(started.id));
    if (episode) await episodes.end(episode);
    await episodes.names?.set(this.#nameOf(session.key), undefined);
  }

  /** Treats an id as that of a session that has ended. */
  retire(id: string, principal: Principal): void {
    this.#retire(sessionKey(id, principal));
  }

  close(): void {
    clearInterval(this.#sweeper);
  }

  #add(key: string, parts: Pick<EpisodeSession<Info>, "environment" | "info" | "starting">): EpisodeSession<Info> {
    const session = { ...parts, key, calls: new Set<LiveCall>(), lastUsed: Date.now() };
    this.#sessions.set(key, session);
    const everyMs = Math.max(10, Math.min(this.#idleMsOf(session) / 2, 60_000));
    this.#sweeper ??= setInterval(() => this.#sweep(), everyMs).unref();
    return session;
  }

  /** Finds a session that another process has opened. */
  async #restore(key: string): Promise<EpisodeSession<Info> | undefined> {
    for (const environment of this.#environments) {
      const { episodes } = environment;
      const held = await episodes.names?.get(this.#nameOf(key));
      if (held === undefined) continue;
      const { episode: id, info } = JSON.parse(held) as StoredSession<Info>;
      const episode = await episodes.find(id);
      const known = this.#sessions.get(key); // another request was faster
      if (known || !episode) return known;
      return this.#add(key, { environment, info, starting: Promise.resolve(episode) });
    }
    return undefined;
  }

  #forget(session: EpisodeSession<Info>): void {
    if (this.#sessions.get(session.key) === session) this.#sessions.delete(session.key);
    if (this.#sessions.size > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }

  #retire(key: string): void {
    this.#ended.delete(key);
    this.#ended.add(key);
    const [oldest] = this.#ended;
    if (this.#ended.size > maxEnded && oldest !== undefined) this.#ended.delete(oldest);
  }

  #sweep(): void {
    const now = Date.now();
    for (const session of this.#sessions.values()) {
      const { environment, lastUsed, calls } = session;
      if (calls.size > 0 || now - lastUsed < this.#idleMsOf(session)) continue;
      // Another process may serve it.
      if (environment.episodes.names) this.#forget(session);
      else this.end(session).catch((fault: unknown) => environment.server.report(fault, "ending an idle session"));
    }
  }

  #idleMsOf({ environment }: Pick<EpisodeSession<Info>, "environment">): number {
    return Math.min(this.#options.idleMs, environment.rules.options.idleMs ?? Infinity);
  }

  #nameOf(key: string): string {
    return `${this.#options.protocol} ${key}`;
  }
}

export interface EpisodeSessionsOptions {
  /** Distinguishes the names of stored sessions. */
  readonly protocol: string;
  /** How long a session without requests is kept. A shorter `idleMs` of its environment counts. */
  readonly idleMs: number;
  readonly maxSessions: number;
}

export interface SessionPlan<Info> {
  readonly environment: Environment;
  readonly start: StartOptions;
  /** What the protocol knows about the session, as JSON. */
  readonly info: Info;
}

export interface EpisodeSession<Info> extends Omit<SessionPlan<Info>, "start"> {
  /** Its id and its caller. */
  readonly key: string;
  readonly starting: Promise<Episode>;
  /** The calls that run. They end with the session. */
  readonly calls: Set<LiveCall>;
  lastUsed: number;
}

/** What the name of a session stands for, as JSON. */
interface StoredSession<Info> {
  readonly episode: string;
  readonly info: Info;
}

/** Sessions of different callers can have the same id. */
export function sessionKey(id: string, principal: Principal): string {
  return `${id} of ${callerOf(principal)}`;
}

const maxEnded = 10_000;
