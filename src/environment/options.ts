import type { ServerOptions } from "../server/options.ts";
import type { Call } from "../tool/call.ts";
import type { AnySchema, JsonObject } from "../tool/schema.ts";
import type { StandardSchema } from "../tool/standard-schema.ts";
import type { AnsweredOf, GivenOf, Tool, ToolOptions, TypedTool } from "../tool/tool.ts";
import type { Random } from "./random/random.ts";
import type { Reward, Rubric, Step } from "./reward.ts";
import type { TaskSplits } from "./tasks.ts";

/** A call that is a step: what `run` sees of its episode. Changes to `state` count only if the step succeeds. */
export interface EpisodeCall<State, Config, Live> extends Call {
  state: State;
  readonly random: Random;
  readonly config: Config;
  readonly live: Live;
}

/** Defines a tool of an environment: like `tool`, with the episode in its call. */
export type EpisodeToolMaker<State, Config, Live> = <
  In extends AnySchema | undefined = undefined,
  Out extends AnySchema | undefined = undefined,
>(
  options: Omit<ToolOptions<In, Out, EpisodeCall<State, Config, Live>>, "name">,
) => TypedTool<GivenOf<In>, AnsweredOf<Out>>;

/** Whether an episode is over: by its own end, or by a limit from outside. */
export interface Status {
  readonly terminated: boolean;
  readonly truncated?: boolean;
}

/** Where an episode stands, for functions that look at it from outside. */
export interface Standing<Config, Live> {
  readonly config: Config;
  readonly live: Live;
  readonly stepCount: number;
}

export type ConfigOf<Config> = Config extends StandardSchema<infer _, infer Parsed> ? Parsed : JsonObject;

/** What an environment is. Every function may be asynchronous. */
export interface EnvironmentOptions<State, Config extends AnySchema | undefined, Live> extends Pick<
  ServerOptions,
  | "name"
  | "version"
  | "title"
  | "description"
  | "policies"
  | "limits"
  | "secrets"
  | "audit"
  | "hooks"
  | "meters"
  | "mode"
  | "approver"
  | "store"
  | "onFault"
  | "resources"
  | "prompts"
> {
  /** What an episode can be set to. Keys that it does not know are ignored. */
  readonly config?: Config;
  /** What an episode needs that is not plain data: a process, a browser, a connection. */
  readonly open?: (options: { config: ConfigOf<Config>; signal: AbortSignal }) => Live | Promise<Live>;
  readonly close?: (live: Live) => unknown;
  /** The first state: plain data. */
  readonly start: (options: { config: ConfigOf<Config>; random: Random; live: Live }) => State | Promise<State>;
  /** What the agent may see. */
  readonly observe: (state: State, standing: Standing<ConfigOf<Config>, Live>) => unknown;
  readonly tools: (tool: EpisodeToolMaker<State, ConfigOf<Config>, Live>) => Readonly<Record<string, Tool>>;
  /** The tool whose input is the environment's typed action. Left out, an action names its tool. */
  readonly action?: string;
  readonly reward?: (step: Step<State>) => Reward | Promise<Reward>;
  /** Instead of `reward`: parts, each with a weight and a score. */
  readonly rubric?: Rubric<State>;
  readonly status?: (state: State, standing: Standing<ConfigOf<Config>, Live>) => Status | Promise<Status>;
  /** Further facts for trainers. */
  readonly info?: (state: State, standing: Standing<ConfigOf<Config>, Live>) => unknown;
  /** Further keys of the state that trainers see. */
  readonly publicState?: (state: State, standing: Standing<ConfigOf<Config>, Live>) => unknown;
  /** A picture in text, for people. */
  readonly render?: (state: State, standing: Standing<ConfigOf<Config>, Live>) => string | Promise<string>;
  /** Rows to play: by split, each with the config and seed of its episode. */
  readonly tasks?: TaskSplits;
  /** How to keep a `live` part in a snapshot; without these, episodes that have one cannot be saved or forked. */
  readonly save?: (live: Live) => unknown;
  readonly load?: (saved: unknown, options: { config: ConfigOf<Config>; signal: AbortSignal }) => Live | Promise<Live>;
  /** How many episodes there may be at once: 1,000. */
  readonly maxEpisodes?: number;
  /** How long an episode that nobody is attached to is kept: 30 minutes. */
  readonly idleMs?: number;
}
