import type { ServerOptions } from "../server/options.ts";
import type { Call } from "../tool/call.ts";
import type { AnySchema, JsonObject } from "../tool/schema.ts";
import type { ValueOf } from "../tool/json-schema/value-of.ts";
import type { StandardSchema } from "../tool/standard-schema.ts";
import type { AnsweredOf, GivenOf, Tool, ToolOptions, TypedTool } from "../tool/tool.ts";
import type { OptionNames } from "../tool/check-options.ts";
import type { FailureKind, Masks } from "./failure.ts";
import type { Random } from "./random/random.ts";
import type { Reward, Rubric, RewardStep } from "./reward.ts";
import type { TaskSplits } from "./tasks.ts";

/** A call in an episode. Changes to `state` count only if the step succeeds. */
export interface EpisodeCall<State, Config, Live> extends Call {
  state: State;
  readonly random: Random;
  readonly config: Config;
  readonly live: Live;
}

/** Like `tool`, with an `EpisodeCall` for `run`. */
export type EpisodeToolMaker<State, Config, Live> = <
  const In extends AnySchema | undefined = undefined,
  const Out extends AnySchema | undefined = undefined,
>(
  options: Omit<ToolOptions<In, Out, EpisodeCall<State, Config, Live>>, "name">,
) => TypedTool<GivenOf<In>, AnsweredOf<Out>>;

/** Whether an episode is over: `terminated` by its own rules, or `truncated` by a limit. */
export interface Termination {
  readonly terminated: boolean;
  readonly truncated?: boolean;
  /** What failed in the environment, such as its simulated user. It masks the episode as other failures do. */
  readonly failure?: { readonly kind: FailureKind; readonly message: string } | undefined;
}

/** What functions such as `observe` and `status` know about the episode. */
export interface EpisodeContext<Config, Live> {
  readonly config: Config;
  readonly live: Live;
  readonly stepCount: number;
}

export type ConfigOf<Config> =
  Config extends StandardSchema<infer _, infer Parsed>
    ? Parsed
    : Config extends { readonly type: "object"; readonly properties: object }
      ? ValueOf<Config>
      : JsonObject;

/** Options of `environment`. Every function may be asynchronous. */
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
  /** Schema of the episode's configuration. Unknown keys are ignored. */
  readonly config?: Config;
  /** Opens what is not plain data: a process, a browser, a connection. */
  readonly open?: (options: { config: ConfigOf<Config>; signal: AbortSignal }) => Live | Promise<Live>;
  readonly close?: (live: Live) => unknown;
  /** Returns the first state, as plain data. */
  readonly start: (options: { config: ConfigOf<Config>; random: Random; live: Live }) => State | Promise<State>;
  /** What the agent may see. */
  readonly observe: (state: State, context: EpisodeContext<ConfigOf<Config>, Live>) => unknown;
  readonly tools: (tool: EpisodeToolMaker<State, ConfigOf<Config>, Live>) => Readonly<Record<string, Tool>>;
  /** The tool whose input is the typed action (default: actions name their tool). */
  readonly action?: string;
  readonly reward?: (step: RewardStep<State>) => Reward | Promise<Reward>;
  /** Instead of `reward`: named parts, each with a weight and a score. */
  readonly rubric?: Rubric<State>;
  /** The lowest and the highest reward of a step, which packages for OpenEnv declare (default: 0 to 1). */
  readonly rewardRange?: readonly [number, number];
  readonly status?: (
    state: State,
    context: EpisodeContext<ConfigOf<Config>, Live>,
  ) => Termination | Promise<Termination>;
  /** Further data for trainers. */
  readonly info?: (state: State, context: EpisodeContext<ConfigOf<Config>, Live>) => unknown;
  /** Further fields of the state that trainers see. */
  readonly publicState?: (state: State, context: EpisodeContext<ConfigOf<Config>, Live>) => unknown;
  /**
   * Which failures leave an episode without a reward: null instead of a number (default: all but `tool`, `agent` and
   * `policy`, because a tool may throw to tell the agent what it did wrong).
   */
  readonly masks?: Masks;
  /** A text rendering for people. */
  readonly render?: (state: State, context: EpisodeContext<ConfigOf<Config>, Live>) => string | Promise<string>;
  /** Tasks by split, each with the config and seed of its episode. */
  readonly tasks?: TaskSplits;
  /** Fields of a task that trainers may keep in their datasets. Config and other fields may hold the answer. */
  readonly publicTaskFields?: readonly string[];
  /** Save and restore `live`. Without them, episodes with a `live` part cannot be saved or forked. */
  readonly save?: (live: Live) => unknown;
  readonly load?: (saved: unknown, options: { config: ConfigOf<Config>; signal: AbortSignal }) => Live | Promise<Live>;
  /** Maximum number of concurrent episodes (default: 1000). */
  readonly maxEpisodes?: number;
  /** How many of them one agent may hold; trainers may hold all (default: a tenth of `maxEpisodes`). */
  readonly maxEpisodesPerAgent?: number;
  /**
   * `step`: an episode is saved in the store after every step, so that it survives its process and another one can
   * continue it. `memory`: it is lost with its process (default: `step` if several machines share the store, as with
   * Postgres, else `memory`).
   */
  readonly durability?: "step" | "memory";
  /** How long an episode without a client is kept (default: 30 minutes). */
  readonly idleMs?: number;
}

type AnyEnvironmentOptions = EnvironmentOptions<unknown, AnySchema | undefined, unknown>;

export const environmentOptionNames: OptionNames<AnyEnvironmentOptions> = {
  name: true,
  version: true,
  title: true,
  description: true,
  policies: true,
  limits: true,
  secrets: true,
  audit: true,
  hooks: true,
  meters: true,
  mode: true,
  approver: true,
  store: true,
  onFault: true,
  resources: true,
  prompts: true,
  config: true,
  open: true,
  close: true,
  start: true,
  observe: true,
  tools: true,
  action: true,
  reward: true,
  rubric: true,
  rewardRange: true,
  status: true,
  info: true,
  publicState: true,
  masks: true,
  render: true,
  tasks: true,
  publicTaskFields: true,
  save: true,
  load: true,
  maxEpisodes: true,
  maxEpisodesPerAgent: true,
  idleMs: true,
  durability: true,
};
