import type { Tool } from "../tool/tool.ts";
import type { Belongings } from "./belongings.ts";
import type { LiveCall } from "./live-call.ts";

/** What an episode gives the calls made in it: a turn, a state to work on, and the end of the step. */
export interface Scope {
  readonly id: string;
  /** What its randomness began with; trainers know it, agents never. */
  readonly seed: number | bigint;
  /** What others keep with it. */
  readonly belongings: Belongings;
  /** Takes the turn, at once or when it comes, and gives the call its state. Throws where the episode is over. */
  enter(call: LiveCall): void | Promise<void>;
  /** What a tool that returns nothing answers with. */
  observe(call: LiveCall): unknown;
  /** Makes the step count: the state the call worked on becomes the episode's. */
  commit(call: LiveCall, step: { tool: Tool; input: unknown; value: unknown }): void | Promise<void>;
  /** Gives the turn back, whatever came of the call. */
  leave(call: LiveCall): void;
}
