import type { HttpMessage } from "../../transport/http-message.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import { startOfTask } from "../../environment/task-catalog.ts";
import type { PlacedTask } from "../../environment/task-catalog.ts";
import { BiplaneError } from "../../errors.ts";
import type { Principal } from "../../tool/call.ts";
import { DetailError } from "../detail-error.ts";
import { EpisodeSessions } from "../episode-sessions.ts";
import type { EpisodeSession } from "../episode-sessions.ts";
import { isControlId } from "../mcp/episode-resolver.ts";
import type { RoutedRequest } from "../routed-request.ts";

/** The place of a session's task. */
export type OrsSession = EpisodeSession<Pick<PlacedTask, "split" | "index">>;

/** The sessions of ORS by `X-Session-ID`. They end when they are deleted, or after 15 minutes without a request. */
export class OrsSessions {
  readonly #sessions: EpisodeSessions<Pick<PlacedTask, "split" | "index">>;
  /** Sessions whose creation was answered. */
  readonly #created = new WeakSet<OrsSession>();
  readonly #startWithinMs: number;

  constructor(environments: readonly Environment[], { maxSessions, startWithinMs = 25_000 }: OrsSessionsOptions) {
    this.#startWithinMs = startWithinMs;
    this.#sessions = new EpisodeSessions(environments, { protocol: "ors", idleMs: 900_000, maxSessions });
  }

  /** Opens the session of a request, or waits again for one whose episode takes long to start. */
  async create({ request, principal }: RoutedRequest, environment: Environment, placed: PlacedTask): Promise<string> {
    const sid = sidOf(request);
    const session = await this.#open(sid, principal, { environment, placed });
    await this.#whenReady(session);
    if (this.#created.has(session)) throw alreadyExists();
    this.#created.add(session);
    return sid;
  }

  async #open(
    sid: string,
    principal: Principal,
    { environment, placed }: { environment: Environment; placed: PlacedTask },
  ): Promise<OrsSession> {
    const known = await this.#sessions.find(sid, principal);
    if (known === "ended") throw deleted();
    if (known) return known;
    const { split, index } = placed;
    try {
      return this.#sessions.open(sid, principal, {
        environment,
        start: startOfTask(placed),
        info: { split, index },
      });
    } catch (error) {
      throw error instanceof BiplaneError && error.code === "CONFLICT" ? alreadyExists() : error;
    }
  }

  /** The session of a request and its episode. Throws what ORS answers if there is none. */
  async find({ request, principal }: RoutedRequest): Promise<{ session: OrsSession; episode: Episode }> {
    const session = await this.#sessions.find(sidOf(request), principal);
    if (session === "ended") throw deleted();
    if (!session) throw notActive();
    await this.#whenReady(session);
    const episode = await this.#sessions.episodeOf(session);
    if (!episode) throw deleted();
    return { session, episode };
  }

  /** Ends the session of a request, if there is one. */
  async delete({ request, principal }: RoutedRequest): Promise<string> {
    const sid = sidOf(request);
    const session = await this.#sessions.find(sid, principal);
    if (session && session !== "ended") await this.#sessions.end(session);
    return sid;
  }

  close(): void {
    this.#sessions.close();
  }

  /** Clients repeat a request that was answered with `starting`. */
  async #whenReady({ starting }: OrsSession): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const headers = { "x-backend-state": "starting", "retry-after": "2" };
      const error = new DetailError(503, "The episode is still starting.", headers);
      timer = setTimeout(() => reject(error), this.#startWithinMs);
    });
    try {
      await Promise.race([starting, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

export interface OrsSessionsOptions {
  readonly maxSessions: number;
  /** How long a request waits for its episode to start (default: 25 s; clients give up after 30). */
  readonly startWithinMs?: number;
}

function sidOf({ headers }: HttpMessage): string {
  const sid = headers["x-session-id"];
  if (sid === undefined || sid === "") throw new DetailError(400, "X-Session-ID header is required");
  if (!isControlId(sid)) throw notActive();
  return sid;
}

export function notActive(): DetailError {
  return new DetailError(404, "Active environment not found");
}

function deleted(): DetailError {
  return new DetailError(410, "Session deleted");
}

function alreadyExists(): DetailError {
  return new DetailError(400, "Session already exists");
}
