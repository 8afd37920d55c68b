import type { Judgement, Action } from "../door/door.ts";
import type { Divergence } from "../divergence.ts";
import type { Message, ToolDefinition } from "../message.ts";
import type { Row } from "../row.ts";

/** What plays: a model, a script, a recording, a person. One agent plays many rows; for each it sits down anew. */
export interface Agent {
  readonly name: string;
  /** The model's name, which is part of a session's id; `unknown` where there is none. */
  readonly model: string;
  begin(seat: AgentSeat): Player | Promise<Player>;
}

/** Where an agent sits down to play one row. */
export interface AgentSeat {
  readonly row: Row;
  /** Which row it is, and for the how-manieth time it is played, both from 0. */
  readonly index: number;
  readonly repetition: number;
  readonly seed: string;
  readonly tools: readonly ToolDefinition[];
  /** What a call would be worth, where the environment can tell. */
  readonly lookAhead: ((action: Action) => Promise<Judgement>) | undefined;
}

/** An agent while it plays one row. */
export interface Player {
  turn(view: View): Turn | Promise<Turn>;
  /** Compares what a step came to with what it should have; a playback does. */
  check?(seen: SeenStep): Divergence | undefined;
  end?(): void | Promise<void>;
}

/** What the agent sees when it is its turn. */
export interface View {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly observation: unknown;
  /** How many steps there have been. */
  readonly step: number;
  readonly signal: AbortSignal;
}

/** What the agent does: says something, calls tools, or both. */
export interface Turn {
  readonly message: Message;
  /** Why it stopped speaking, in the model's own words. */
  readonly finishReason: string;
  readonly usage?: Usage | undefined;
  /** In dollars, where prices are known. */
  readonly cost?: number | undefined;
  /** How often the model had to be asked again. */
  readonly retries?: number | undefined;
  /** What the user says next, where that is recorded too. */
  readonly userReply?: Message | undefined;
  /** Why the rollout ended, where that is recorded. */
  readonly ending?: string | undefined;
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

export interface SeenStep {
  readonly step: number;
  readonly message: Message;
  readonly reward: number;
  readonly terminated: boolean;
  readonly truncated: boolean;
}

/** Names that are no tools: an agent that calls one has come to its end. */
export const noToolCall = "_no_tool_call";
export const playbackTerminate = "_playback_terminate";

/** A turn of calls, for agents that do not talk. */
export function callTurn(calls: readonly Action[], step: number): Turn {
  const tool_calls = calls.map(({ name, input }, at) => ({
    id: `call_${step}_${at}`,
    type: "function" as const,
    function: { name, arguments: JSON.stringify(input) },
  }));
  return { message: { role: "assistant", content: null, tool_calls }, finishReason: "tool_calls" };
}

/** A turn in which the agent has nothing more to do. */
export function lastTurn(text = ""): Turn {
  return { message: { role: "assistant", content: text }, finishReason: "stop" };
}
