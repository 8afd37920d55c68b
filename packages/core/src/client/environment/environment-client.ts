import type { BiplaneError } from "../../errors.ts";
import type { Failure } from "../../environment/failure.ts";
import type { Snapshot } from "../../environment/snapshot.ts";
import type { Task } from "../../environment/tasks.ts";
import type { Content } from "../../tool/content.ts";
import type { JsonObject } from "../../tool/schema.ts";
import type { ToolInfo } from "../results.ts";
import type { EnvironmentAction } from "./action.ts";

/**
 * A client of one environment, which plays one episode at a time. It is the same for an environment in this process,
 * an OpenEnv server, an Eval Protocol server and a plain MCP server. Create one with `connectEnvironment`.
 */
export interface EnvironmentClient extends AsyncDisposable {
  /** The environment's name, or its URL. */
  readonly name: string;
  readonly kind: EnvironmentKind;
  /** Ends the current episode, if there is one, and starts another. */
  reset(options?: ResetOptions): Promise<ResetOutcome>;
  /**
   * Performs an action: `callTool(…)`, `listTools()`, `code(…)`, or an action of the environment's own type. A failed
   * call resolves with `error`; a lost connection throws.
   */
  step(action: EnvironmentAction, options?: StepOptions): Promise<StepOutcome>;
  /** What the environment tells about the current episode. */
  state(options?: StepOptions): Promise<EpisodeState>;
  /** A second client, which continues from the current state. Close both. */
  fork(): Promise<EnvironmentClient>;
  /** The current episode as plain data. `reset({ snapshot })` starts an episode from it. */
  snapshot(): Promise<Snapshot>;
  /** The environment's own tasks of a split, such as `train`. */
  tasks(split: string): Promise<readonly Task[]>;
  /** Ends the episode and the connection. Can be called repeatedly. Returns the failures of the control plane. */
  close(): Promise<readonly ControlPlaneFault[]>;
}

export type EnvironmentKind = "environment" | "eval-protocol" | "openenv" | "mcp";

export interface StepOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface ResetOptions extends StepOptions {
  /** Default: chosen by the environment. */
  readonly seed?: number | bigint | null | undefined;
  readonly config?: JsonObject | undefined;
  /** Starts from this snapshot. `seed` and `config` are then part of it. */
  readonly snapshot?: Snapshot | undefined;
  /** The name of the episode on the other side (default: chosen there). */
  readonly episodeId?: string | undefined;
  /** The model that plays and the dataset row, for the records of the other side. */
  readonly model?: string | undefined;
  readonly rowId?: string | undefined;
  /** True if recorded actions are replayed. The control plane then has 3 s for the first observation, not 15. */
  readonly isPlayback?: boolean | undefined;
}

export interface ResetOutcome {
  /** The first observation. */
  readonly observation: unknown;
  /** The observation as the server wrote it. JSON keeps 1.0 apart from 1, JavaScript does not. */
  readonly json?: string;
  readonly source: "environment" | "control_plane" | "resource" | "default";
  readonly tools: readonly ToolInfo[];
  /** The seed that the environment used, if known. */
  readonly seed?: string;
  readonly faults: readonly ControlPlaneFault[];
}

/** The reward of a step, and the status of the episode after it. */
export interface StepStatus {
  /** Null if the step has no reward. */
  readonly reward: number | null;
  readonly parts?: Readonly<Record<string, number>> | undefined;
  readonly terminated: boolean;
  readonly truncated: boolean;
  readonly stepCount?: number | undefined;
  /** What went wrong in the episode so far. If it is masked, the episode has no reward. */
  readonly failure?: Failure | undefined;
  /** The sources of reward and status, in Eval Protocol's format. */
  readonly info: Readonly<Record<string, unknown>>;
  readonly faults: readonly ControlPlaneFault[];
}

/** The result of an action, with its reward and the status of the episode after it. */
export interface StepOutcome extends StepStatus {
  /** What the agent sees: what the tool returned, `{ tools }`, the result of code, or `{ error, message }`. */
  readonly observation: unknown;
  /** The result of the tool as MCP content. */
  readonly content: readonly Content[];
  /** Why the call failed. A failed call changes nothing. */
  readonly error?: BiplaneError | undefined;
  /** True if the episode is over: `terminated` or `truncated`. */
  readonly done: boolean;
  /** The calls that code made. */
  readonly calls?: readonly unknown[] | undefined;
  /** Time spent reading reward and status, where that takes requests of its own. */
  readonly controlPlaneMs?: number;
}

/** The public state of an episode, with the environment's own fields. */
export interface EpisodeState extends JsonObject {
  readonly episodeId: string | null;
  readonly stepCount: number;
}

/** A failure of the control plane that was replaced by a safe default. */
export interface ControlPlaneFault {
  readonly what: "initial_state" | "reward" | "status" | "reset_session" | "close";
  readonly why: string;
}

/** Opens clients of one environment, which share connections and the list of tools. */
export interface Connector {
  readonly name: string;
  readonly kind: EnvironmentKind;
  /** Sends no request. */
  open(): EnvironmentClient;
  close(): Promise<void>;
}
