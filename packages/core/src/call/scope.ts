import type { Tool } from "../tool/tool.ts";
import type { EpisodeResources } from "./episode-resources.ts";
import type { LiveCall, StepResult } from "./live-call.ts";
import type { BiplaneError } from "../errors.ts";
import type { Done, Failed, Outcome } from "./outcome.ts";

/** What a call needs from its episode: a turn, a working copy of the state, and a commit. */
export interface Scope {
  readonly id: string;
  /** Trainers may see it; agents must not. */
  readonly seed: number | bigint;
  readonly resources: EpisodeResources;
  /** Waits for the turn and gives the call its state. Throws if the episode has ended. */
  enter(call: LiveCall): void | Promise<void>;
  /** The result of a tool that returned nothing. */
  observe(call: LiveCall): unknown;
  /** Notes the error of a call that had the turn. */
  noteError(error: BiplaneError): void;
  /** Makes the call's working state the episode's state. */
  commit(call: LiveCall, step: { tool: Tool; input: unknown; value: unknown }): void | Promise<void>;
  /** The answer to an earlier try of this call, if that made its step. */
  recall(call: LiveCall): { readonly outcome: Done | Failed; readonly step: StepResult | undefined } | undefined;
  /** True if another process has continued the episode, so that it must be found again. */
  readonly isStale: boolean;
  /** True if a step that was not saved has changed nothing outside of the episode. */
  readonly isRepeatable: boolean;
  /**
   * Makes the steps of the outermost call durable. Undefined if there is nothing to wait for. Resolves to false if
   * another process has continued the episode: then nothing was saved.
   */
  persist(call: LiveCall, outcome: Outcome): Promise<boolean> | undefined;
  /**
   * Forgets what a call has done so far, because the server closes. False if the call cannot be made again, in another
   * process or after a restart.
   */
  abandon(call: LiveCall): boolean;
  /** Releases the turn, whether the call succeeded or not. */
  leave(call: LiveCall): void;
}
