import { randomUUID } from "node:crypto";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import type { Principal } from "../../tool/call.ts";
import { DetailError } from "../detail-error.ts";
import { EpisodeSessions, sessionKey } from "../episode-sessions.ts";
import type { EpisodeSession } from "../episode-sessions.ts";
import { startOfRow } from "./seed.ts";
import type { NemoSeed } from "./seed.ts";
import { lostVerdict, verdictOn } from "./verdict.ts";
import type { NemoVerdict } from "./verdict.ts";

export type NemoSession = EpisodeSession<NemoSessionInfo>;

interface NemoSessionInfo {
  readonly id: string;
  readonly rollout: string;
  /** A legacy session is not closed by its client, so it ends when it is verified. */
  readonly isLegacy: boolean;
}

/** The sessions of a resources server. A client names one by its id or by a cookie. */
export class NemoSessions {
  readonly #environment: Environment;
  readonly #sessions: EpisodeSessions<NemoSessionInfo>;
  /** Verdicts on sessions that have ended, oldest first, because a client may ask late or twice. */
  readonly #verdicts = new Map<string, NemoVerdict>();

  constructor(environment: Environment, maxSessions: number) {
    this.#environment = environment;
    this.#sessions = new EpisodeSessions([environment], { protocol: "nemo-gym", idleMs: 30 * 60_000, maxSessions });
  }

  /** Opens a session and starts its episode. The same request again finds the same session. */
  async seed({ id = randomUUID(), rollout, data }: NemoSeed, principal: Principal): Promise<NemoSeeded> {
    const known = await this.#sessions.find(id, principal);
    if (known === "ended") throw new DetailError(409, `Session ${id} has been closed. Use another id.`);
    const session = known ?? (await this.#open(id, principal, { rollout, data, isLegacy: rollout === "" }));
    if (session.info.rollout !== rollout)
      throw new DetailError(409, `Session ${id} is open for another episode. Use another id.`);
    return { session, episode: await session.starting };
  }

  async #open(
    id: string,
    principal: Principal,
    { data, ...info }: Omit<NemoSessionInfo, "id"> & Pick<NemoSeed, "data">,
  ): Promise<NemoSession> {
    const start = await startOfRow(this.#environment, data);
    const raced = await this.#sessions.find(id, principal);
    if (raced && raced !== "ended") return raced;
    return this.#sessions.open(id, principal, { environment: this.#environment, start, info: { ...info, id } });
  }

  /** The session that a request names by its cookie, and its episode. */
  async find(id: string, principal: Principal): Promise<NemoSeeded | undefined> {
    const session = await this.#sessions.find(id, principal);
    if (!session || session === "ended") return undefined;
    const episode = await this.#sessions.episodeOf(session).catch(() => undefined);
    return episode && { session, episode };
  }

  /** The verdict on a session. One that nobody knows is lost, which is not the agent's fault. */
  async verify(id: string | undefined, principal: Principal): Promise<NemoVerdict> {
    if (id === undefined) return lostVerdict("The request names no session: it has no cookie.");
    const found = await this.find(id, principal);
    if (!found) return this.#verdicts.get(sessionKey(id, principal)) ?? lostVerdict("The session is gone.");
    if (found.session.info.isLegacy) return this.#end(found);
    return verdictOn(this.#environment, found.episode);
  }

  /** Ends a session. Its id cannot be used again, even if it was never seeded. */
  async close(id: string, rollout: string, principal: Principal): Promise<void> {
    const session = await this.#sessions.find(id, principal);
    if (!session || session === "ended") return this.#sessions.retire(id, principal);
    if (session.info.rollout !== rollout)
      throw new DetailError(409, `Session ${id} is open for another episode. Nothing was closed.`);
    const episode = await this.#sessions.episodeOf(session).catch(() => undefined);
    if (episode) await this.#end({ session, episode });
    else await this.#sessions.end(session);
  }

  stop(): void {
    this.#sessions.close();
  }

  async #end({ session, episode }: NemoSeeded): Promise<NemoVerdict> {
    const verdict = verdictOn(this.#environment, episode);
    this.#verdicts.set(session.key, verdict);
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > maxVerdicts && oldest !== undefined) this.#verdicts.delete(oldest);
    await this.#sessions.end(session);
    return verdict;
  }
}

export interface NemoSeeded {
  readonly session: NemoSession;
  readonly episode: Episode;
}

const maxVerdicts = 10_000;
