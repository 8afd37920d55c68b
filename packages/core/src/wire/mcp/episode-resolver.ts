import { callerOf } from "../../call/caller-of.ts";
import { chain } from "../../chain.ts";
import type { LiveCall } from "../../call/live-call.ts";
import { CallerEpisodes } from "../../environment/caller-episodes.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import { EpisodeLabels } from "../../environment/episode-labels.ts";
import type { Episodes } from "../../environment/episodes.ts";
import type { EpisodeNames, EpisodeSlot } from "../../environment/episode-slot.ts";
import { BiplaneError } from "../../errors.ts";
import type { ServeOptions } from "../../server/listening.ts";
import type { Principal } from "../../tool/call.ts";
import type { Exchange } from "./exchange.ts";
import { metaKey } from "../../protocol/protocol.ts";
import type { McpSession } from "./session.ts";
import { isRecord } from "../../is-record.ts";

/** Finds the episode of a request, and the slot of a session id on the control plane. */
export class EpisodeResolver {
  readonly callers: CallerEpisodes;
  readonly labels: EpisodeLabels;
  readonly #episodes: Episodes;
  readonly #evalProtocolSessions = new WeakSet<McpSession>();
  /** Finds a session that another process may have begun. Set by the transport that keeps sessions. */
  loadSession: ((id: string) => Promise<McpSession | undefined>) | undefined;
  /** By the client's id on the control plane: the one it chose, or that of its MCP session. */
  readonly #slotsById = new Map<string, NamedSlot>();

  /** Without `authenticate` or with `openTrainerEndpoints`, every caller may do what trainers do. */
  constructor({ episodes, server }: Environment, { authenticate, openTrainerEndpoints }: ServeOptions) {
    this.#episodes = episodes;
    const isOpen = !authenticate || openTrainerEndpoints === true;
    const isProduction = server.mode === "production";
    this.callers = new CallerEpisodes(episodes, {
      replacesEnded: isProduction, // clients cannot reset an episode
      isTrainer: ({ kind }) => !isProduction && (isOpen || kind === "trainer"),
    });
    this.labels = new EpisodeLabels(episodes, this.callers.isTrainer);
  }

  /**
   * Opens the slot of a new session. Eval Protocol's client sends seed, config and a name with `initialize`. Throws if
   * the caller is an agent, or if another caller uses the name. Returns a promise if other processes know the name.
   */
  open(session: McpSession): void | Promise<void> {
    const { principal, extra } = session;
    const { session_id: name } = extra ?? {};
    if (extra && !this.callers.isTrainer(principal)) throw new BiplaneError("UNAUTHORIZED", trainersOnly);
    const { names } = this.#episodes;
    if (names && isControlId(name)) return this.#claim(session, { name, names });
    if (isControlId(name)) mustBeOwn(name, this.#slotsById.get(name)?.caller, session);
    this.restore(session);
  }

  async #claim(session: McpSession, { name, names }: { name: string; names: EpisodeNames }): Promise<void> {
    const held = await names.get(controlName(name));
    mustBeOwn(name, held === undefined ? undefined : readAlias(held).caller, session);
    const alias: SessionAlias = { session: session.id, caller: callerOf(session.principal) };
    await names.set(controlName(name), JSON.stringify(alias));
    this.restore(session);
  }

  /** Opens the slot of a session that this or another process has accepted. */
  restore(session: McpSession): void {
    const { principal, extra } = session;
    const { session_id: name, seed, config } = extra ?? {};
    const caller = callerOf(principal);
    const start = { seed: seed as number, config: isRecord(config) ? config : undefined };
    const slot = this.callers.open(session, principal, { start, name: sessionSlot(session.id) });
    if (extra) this.#evalProtocolSessions.add(session);
    const named = { slot, caller };
    this.#slotsById.set(session.id, named);
    if (isControlId(name)) this.#slotsById.set(name, named); // an older slot of the same name keeps its episode
    session.onClose((isLeft) => {
      for (const id of [session.id, name])
        if (typeof id === "string" && this.#slotsById.get(id) === named) this.#slotsById.delete(id);
      if (isLeft) this.callers.leave(session);
      else this.callers.release(session);
    });
  }

  /** True if Eval Protocol's client opened the session. It aborts a rollout at any protocol error. */
  isEvalProtocol(session: McpSession | undefined): boolean {
    return session !== undefined && this.#evalProtocolSessions.has(session);
  }

  /** The id of a session's current episode. */
  episodeOf(session: McpSession): string | undefined {
    return this.callers.find(session)?.current?.id;
  }

  /** The slot of an id on the control plane. Other processes may know it. */
  slotById(id: string): EpisodeSlot | undefined | Promise<EpisodeSlot | undefined> {
    const { names } = this.#episodes;
    return names ? this.#storedSlot(id, names) : this.#slotsById.get(id)?.slot;
  }

  async #storedSlot(id: string, names: EpisodeNames): Promise<EpisodeSlot | undefined> {
    const held = await names.get(controlName(id));
    const session = held === undefined ? id : readAlias(held).session;
    await this.loadSession?.(session);
    return this.#slotsById.get(session)?.slot;
  }

  /** The episode that a request names, else the caller's own. */
  scopeOf(exchange: Exchange, call: LiveCall): Episode | Promise<Episode> {
    const { params, slotKey, principal, method } = exchange;
    const meta = params["_meta"];
    const named = exchange.episode ?? (isRecord(meta) ? meta[metaKey.episode] : undefined);
    if (named !== undefined) return this.#find(named);
    const slot = slotKey ? this.callers.slotOf(slotKey, principal) : this.callers.slotOfPrincipal(principal);
    return method === "tools/call" ? slot.episode(call) : slot.read();
  }

  /** The episode that the path of a request names. */
  findNamed(name: string, principal: Principal): Episode | undefined | Promise<Episode | undefined> {
    return this.#episodes.findHere(name) ?? this.labels.find(name, principal);
  }

  /** The same for a request without a session or connection. */
  scopeOfCall(call: LiveCall, named: string | undefined): Episode | Promise<Episode> {
    return named === undefined ? this.callers.slotOfPrincipal(call.principal).episode(call) : this.#find(named);
  }

  #find(id: unknown): Episode | Promise<Episode> {
    const found = typeof id === "string" ? this.#episodes.find(id) : undefined;
    return chain(found, (episode) => episode ?? noEpisode(id));
  }
}

function noEpisode(id: unknown): never {
  const shown = JSON.stringify(typeof id === "string" ? id.slice(0, 64) : id);
  throw new BiplaneError("INVALID_INPUT", `There is no episode ${shown}. Without a name, you play in your own.`);
}

/** What a session id of Eval Protocol stands for, as JSON. */
interface SessionAlias {
  readonly session: string;
  /** Only this caller may use the id for another session. */
  readonly caller: string;
}

function readAlias(held: string): SessionAlias {
  return JSON.parse(held) as SessionAlias;
}

function controlName(id: string): string {
  return `control ${id}`;
}

function mustBeOwn(name: string, holder: string | undefined, { principal }: McpSession): void {
  if (holder === undefined || holder === callerOf(principal)) return;
  throw new BiplaneError("UNAUTHORIZED", `Another caller uses the session id ${name}. Choose another.`);
}

/** The name of a session's slot. */
function sessionSlot(id: string): string {
  return `session ${id}`;
}

interface NamedSlot {
  readonly slot: EpisodeSlot;
  /** Only this caller may use the name for another session. */
  readonly caller: string;
}

const trainersOnly = "Seed, config and session id in clientInfo are for trainers. Use a token of kind trainer.";

/** What Eval Protocol's client says about a rollout in its `clientInfo`. */
export interface EvalProtocolExtra {
  readonly session_id?: unknown;
  readonly seed?: unknown;
  readonly config?: unknown;
}

/** Reads it from `_extra`, as the client sends it, or from the fields beside `name`, as its documentation says. */
export function evalProtocolExtra(clientInfo: Record<string, unknown>): EvalProtocolExtra | undefined {
  const { _extra: extra } = clientInfo;
  if (isRecord(extra)) return extra;
  return ["session_id", "seed", "config"].some((key) => key in clientInfo) ? clientInfo : undefined;
}

/** True for a session id of Eval Protocol: short, and safe in a header or a log line. */
export function isControlId(id: unknown): id is string {
  return typeof id === "string" && /^[\w.:-]{1,128}$/.test(id);
}
