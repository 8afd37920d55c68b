import { LiveCall } from "../call/live-call.ts";
import type { Scope } from "../call/scope.ts";
import { resource } from "../server/resource.ts";
import { Server } from "../server/server.ts";
import type { Governance } from "../server/options.ts";
import type { DirectCallOptions } from "../server/server.ts";
import type { Listening, ServeOptions } from "../server/listening.ts";
import type { AnySchema } from "../tool/schema.ts";
import type { Call } from "../tool/call.ts";
import type { Policy } from "../call/policy.ts";
import type { Hooks } from "../call/hooks.ts";
import type { Episode } from "./episode.ts";
import { Episodes } from "./episodes.ts";
import type { StartOptions } from "./episodes.ts";
import type { EnvironmentOptions } from "./options.ts";
import { compileRules } from "./rules.ts";
import type { Rules } from "./rules.ts";

/** A server with episodes: tools that change a state, and beside them, out of the agent's reach, rewards and endings. */
export function environment<State, Config extends AnySchema | undefined = undefined, Live = undefined>(
  options: EnvironmentOptions<State, Config, Live>,
): Environment {
  return new Environment(options as unknown as EnvironmentOptions<unknown, AnySchema | undefined, unknown>);
}

export class Environment {
  readonly name: string;
  readonly version: string;
  readonly rules: Rules;
  readonly server: Server;
  readonly episodes: Episodes;

  constructor(options: EnvironmentOptions<unknown, AnySchema | undefined, unknown>) {
    this.name = options.name;
    this.version = options.version;
    this.rules = compileRules(options, (fault, where) => this.server.report(fault, where));
    const { config: _, tools: __, ...rest } = options;
    this.server = new Server({
      ...rest,
      tools: this.rules.tools,
      resources: [initialState(), ...(options.resources ?? [])],
    });
    this.episodes = new Episodes(this.rules);
  }

  /** Adds a rule. All must allow. */
  policy(policy: Policy): this {
    this.server.policy(policy);
    return this;
  }

  /** Lays an operator's rules over it. */
  govern(rules: Governance): this {
    this.server.govern(rules);
    return this;
  }

  /** Watches calls. */
  watch(hooks: Hooks): this {
    this.server.watch(hooks);
    return this;
  }

  /** Begins an episode in this process. */
  start(options: StartOptions = {}): Promise<Episode> {
    return this.episodes.start(options);
  }

  /** Calls a tool in an episode: one step. Throws where the call fails. */
  call(episode: Episode, tool: string, input: unknown = {}, options: DirectCallOptions = {}): Promise<unknown> {
    return this.server.call(tool, input, { ...options, scope: () => episode });
  }

  /** Listens with all doors: MCP, REST, and those of trainers. */
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

/** What the agent saw first, as a resource: some clients look for it there. */
function initialState() {
  return resource({
    name: "initial_state",
    uri: "environment://initial_state",
    description: "What there is to see at the beginning of the episode",
    mimeType: "application/json",
    read: (_, call) => JSON.stringify(firstObservation(call)),
  });
}

function firstObservation(call: Call): unknown {
  const scope: (Scope & Partial<Pick<Episode, "firstObservation">>) | undefined =
    call instanceof LiveCall ? call.scope : undefined;
  return scope?.firstObservation ?? {};
}
