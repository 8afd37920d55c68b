import { LiveCall } from "../call/live-call.ts";
import type { Scope } from "../call/scope.ts";
import type { Redactor } from "../call/redact/redactor.ts";
import type { Catalog } from "../server/catalog.ts";
import type { Mountable } from "../server/mount.ts";
import type { Store } from "../store/store.ts";
import { resource } from "../server/resource.ts";
import { ServerCore } from "../server/server-core.ts";
import { serverOptionNames } from "../server/options.ts";
import type { Governance, ServerOptions } from "../server/options.ts";
import type { DirectCallOptions } from "../server/direct-call.ts";
import type { Listening, ServeOptions } from "../server/listening.ts";
import { checkOptions, pickOptions } from "../tool/check-options.ts";
import type { AnySchema } from "../tool/schema.ts";
import type { Call } from "../tool/call.ts";
import type { Tool } from "../tool/tool.ts";
import type { Policy } from "../call/policy.ts";
import type { Hooks } from "../call/hooks.ts";
import type { Episode } from "./episode.ts";
import { CallerEpisodes } from "./caller-episodes.ts";
import { EpisodeOwners } from "./episode-owners.ts";
import { Episodes } from "./episodes.ts";
import type { Fleet } from "../server/fleet.ts";
import type { EpisodeStorage } from "../store/episode-storage.ts";
import type { StartOptions } from "./episodes.ts";
import { environmentOptionNames } from "./options.ts";
import type { EnvironmentOptions } from "./options.ts";
import { compileRules } from "./rules.ts";
import type { Rules } from "./rules.ts";

/** Defines a server with episodes. Tools change the state; only trainers see rewards and endings. */
export function environment<State, Config extends AnySchema | undefined = undefined, Live = undefined>(
  options: EnvironmentOptions<State, Config, Live>,
): Environment {
  return new Environment(options as unknown as EnvironmentOptions<unknown, AnySchema | undefined, unknown>);
}

/** A server with episodes. Create one with `environment`. */
export class Environment implements Mountable {
  readonly name: string;
  readonly version: string;
  readonly rules: Rules;
  readonly server: ServerCore;
  readonly episodes: Episodes;
  readonly hasEpisodes = true;
  /** Set if requests must reach the process in which an episode lives. */
  owners: EpisodeOwners | undefined;
  #storage: EpisodeStorage | undefined;
  /** For a server that mounts it, which has no way to reset an episode. */
  readonly #callers: CallerEpisodes;

  constructor(options: EnvironmentOptions<unknown, AnySchema | undefined, unknown>) {
    checkOptions(`Environment ${JSON.stringify(options.name)}`, options, environmentOptionNames);
    this.rules = compileRules(options, (fault, where) => this.server.report(fault, where));
    this.server = new ServerCore({
      ...pickOptions<ServerOptions>(options, serverOptionNames),
      tools: this.rules.tools,
      resources: [initialState(), ...(options.resources ?? [])],
    });
    this.name = this.server.name;
    this.version = this.server.version;
    this.episodes = new Episodes(this.rules);
    if (options.store) this.#storeEpisodes(options.store);
    this.#callers = new CallerEpisodes(this.episodes, { replacesEnded: true, isTrainer: () => false });
  }

  get catalog(): Catalog {
    return this.server.catalog;
  }

  get redactor(): Redactor | undefined {
    return this.server.redactor;
  }

  onPolicy(adopt: (policy: Policy) => void): () => void {
    return this.server.onPolicy(adopt);
  }

  episodeFor(_: Tool, { session, principal }: LiveCall): Episode | Promise<Episode> {
    const slot =
      session === undefined
        ? this.#callers.slotOfPrincipal(principal)
        : this.#callers.slotNamed(`session ${session}`, principal);
    return slot.episode();
  }

  /** Adds a policy. Every policy must allow a call. */
  policy(policy: Policy): this {
    this.server.policy(policy);
    return this;
  }

  /** Applies an operator's rules. */
  govern(rules: Governance): this {
    this.server.govern(rules);
    if (rules.store) this.#storeEpisodes(rules.store);
    if (rules.fleet) this.#ownEpisodes(rules.fleet);
    return this;
  }

  /** In a fleet, episodes that only one process may continue have an owner. */
  #ownEpisodes(fleet: Fleet): void {
    const { areStored: isSaved } = this.episodes;
    const storage = this.#storage;
    if (!storage || (isSaved && !this.rules.options.open)) return;
    const owners = new EpisodeOwners({ environment: this.name, fleet, storage, isSaved });
    this.owners = owners;
    this.episodes.newId = () => owners.newId();
    fleet.onReplaced(() => {
      this.episodes.forgetAll().catch((fault: unknown) => this.server.report(fault, "closing episodes"));
    });
  }

  #storeEpisodes(store: Store): void {
    this.#storage = store.episodes;
    const { durability = store.isShared ? "step" : "memory" } = this.rules.options;
    if (durability === "step" && store.episodes) this.episodes.storeIn(store.episodes);
  }

  /** Adds hooks that see every call begin and end. */
  watch(hooks: Hooks): this {
    this.server.watch(hooks);
    return this;
  }

  /** Starts an episode in this process. */
  start(options: StartOptions = {}): Promise<Episode> {
    return this.episodes.start(options);
  }

  /** Calls a tool in an episode, which is one step. Throws if the call fails. */
  call(episode: Episode, tool: string, input: unknown = {}, options: DirectCallOptions = {}): Promise<unknown> {
    return this.server.call(tool, input, { ...options, scope: () => this.episodes.latest(episode) });
  }

  /** Serves MCP, REST and the trainer APIs. */
  async serve(target: string | ServeOptions = {}): Promise<Listening> {
    const { serve } = await import("../wire/serve.ts");
    return this.server.listenWith((options) => serve(this, options), target);
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.episodes.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** The first observation as a resource, where some clients expect it. */
function initialState() {
  return resource({
    name: "initial_state",
    uri: "environment://initial_state",
    description: "The first observation of the episode",
    mimeType: "application/json",
    read: (_, call) => JSON.stringify(firstObservation(call)),
  });
}

function firstObservation(call: Call): unknown {
  const scope: (Scope & Partial<Pick<Episode, "firstObservation">>) | undefined =
    call instanceof LiveCall ? call.scope : undefined;
  return scope?.firstObservation ?? {};
}
