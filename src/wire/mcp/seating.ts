import type { Episode } from "../../environment/episode.ts";
import type { Episodes } from "../../environment/episodes.ts";
import type { Seat } from "../../environment/seat.ts";
import { BiplaneError } from "../../errors.ts";
import type { Exchange } from "./exchange.ts";
import { metaKey } from "../../protocol/protocol.ts";
import { isObject } from "../../protocol/rpc.ts";
import type { Session } from "./session.ts";

/** Which episode a request belongs to, and which seat an id on the control plane means. */
export class Seating {
  readonly #episodes: Episodes;
  readonly #seats = new WeakMap<object, Seat>();
  readonly #evaluated = new WeakSet<Session>();
  /** By the id that a client goes by on the control plane: its own, or its MCP session's. */
  readonly #known = new Map<string, Seat>();

  constructor(episodes: Episodes) {
    this.#episodes = episodes;
  }

  /** Makes the seat of a new session, with the seed and config that Eval Protocol's client puts into its greeting. */
  open(session: Session, extra: unknown): void {
    const { session_id: name, seed, config } = isObject(extra) ? extra : nothing;
    const seat = this.#episodes.seat({ seed: seed as number, config: isObject(config) ? config : undefined });
    this.#seats.set(session, seat);
    if (isObject(extra)) this.#evaluated.add(session);
    this.know(session.id, seat);
    if (isControlId(name)) this.know(name, seat);
    session.onClose(() => {
      for (const id of [session.id, name])
        if (typeof id === "string" && this.#known.get(id) === seat) this.#known.delete(id);
      void seat.close();
    });
  }

  /** Whether a session was opened by Eval Protocol's client, which gives up a whole rollout at a protocol error. */
  isEvaluated(session: Session | undefined): boolean {
    return session !== undefined && this.#evaluated.has(session);
  }

  /** The episode that a session's seat has now, if any. */
  episodeOf(session: Session): string | undefined {
    return this.#seats.get(session)?.current?.id;
  }

  /** From now on that id means this seat; an older seat of the same name keeps its own episode. */
  know(id: string, seat: Seat): void {
    this.#known.set(id, seat);
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  byId(id: string): Seat | undefined {
    return this.#known.get(id);
  }

  /** Clears the seat that hung on something that is gone. */
  leave(key: object): void {
    void this.#seats.get(key)?.close();
    this.#seats.delete(key);
  }

  scopeOf(exchange: Exchange): Episode | Promise<Episode> {
    const { params, seatKey, episode: bound } = exchange;
    const meta = params["_meta"];
    const named = bound ?? (isObject(meta) ? meta[metaKey.episode] : undefined);
    if (named === undefined && seatKey) return this.#seatOf(seatKey).episode();
    return this.find(typeof named === "string" ? named : undefined, `name it in _meta["${metaKey.episode}"]`);
  }

  /** The episode of that id; `howToName` tells a caller who named none what to do. */
  find(id: string | undefined, howToName: string): Episode {
    if (id === undefined) {
      throw new BiplaneError("INVALID_INPUT", `Which episode? Use its own address, /e/<episode>/mcp, or ${howToName}`);
    }
    const episode = this.#episodes.find(id);
    if (!episode) throw new BiplaneError("INVALID_INPUT", `There is no episode ${JSON.stringify(id.slice(0, 64))}`);
    return episode;
  }

  #seatOf(key: object): Seat {
    let seat = this.#seats.get(key);
    if (!seat) this.#seats.set(key, (seat = this.#episodes.seat()));
    return seat;
  }
}

const nothing: Record<string, unknown> = {};

/** What Eval Protocol uses as an id: short, and safe to put into a header or a log line. */
export function isControlId(id: unknown): id is string {
  return typeof id === "string" && /^[\w.:-]{1,128}$/.test(id);
}
