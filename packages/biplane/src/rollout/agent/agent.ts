import type { StepOutcome } from "@biplane/core/client";
import type { Divergence } from "../divergence.ts";
import type { ChatMessage, ToolDefinition } from "../message.ts";
import type { Row } from "../row.ts";

/** A tool call that an agent chooses. */
export interface Action {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Plays rows: a model, a script, a recording or a person. `begin` is called once per rollout. */
export interface Agent {
  readonly name: string;
  /** The model's name, which is part of the session id; `unknown` if there is none. */
  readonly model: string;
  /** Whose API a turn is a request to, such as `openai`. Undefined if no model is asked. */
  readonly provider?: string | undefined;
  /** True if the agent replays recorded actions. */
  readonly isPlayback?: boolean;
  begin(context: RolloutContext): EpisodePlayer | Promise<EpisodePlayer>;
}

/** What an agent knows about a rollout when it starts. */
export interface RolloutContext {
  readonly row: Row;
  /** Row index and repetition, both 0-based. */
  readonly index: number;
  readonly repetition: number;
  readonly seed: string;
  readonly tools: readonly ToolDefinition[];
  /** Tries an action on a fork of the episode. Throws `NOT_SUPPORTED` if the environment cannot be forked. */
  readonly lookAhead: (action: Action) => Promise<StepOutcome>;
}

/** An agent in one rollout. */
export interface EpisodePlayer {
  turn(view: AgentView): Turn | Promise<Turn>;
  /** Compares a step with its recording. Only playbacks implement this. */
  check?(step: ObservedStep): Divergence | undefined;
  end?(): void | Promise<void>;
}

/** What the agent sees at its turn. */
export interface AgentView {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly observation: unknown;
  /** Steps so far. */
  readonly step: number;
  readonly signal: AbortSignal;
}

/** An agent's turn: a message, tool calls, or both. */
export interface Turn {
  readonly message: ChatMessage;
  /** The model's finish reason. */
  readonly finishReason: string;
  readonly usage?: Usage | undefined;
  /** In dollars, if prices are known. */
  readonly cost?: number | undefined;
  /** How often the request to the model was repeated. */
  readonly retries?: number | undefined;
  /** The user's recorded reply, in a playback. */
  readonly userReply?: ChatMessage | undefined;
  /** The recorded ending, in a playback. */
  readonly ending?: string | undefined;
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  /** How many tokens of the prompt came from the server's cache, if it tells. */
  readonly cached_tokens?: number | undefined;
}

export interface ObservedStep {
  readonly step: number;
  readonly message: ChatMessage;
  readonly reward: number;
  readonly terminated: boolean;
  readonly truncated: boolean;
}

/** Pseudo-tools: an agent that calls one of them ends the rollout. */
export const noToolCall = "_no_tool_call";
export const playbackTerminate = "_playback_terminate";

/** Makes a turn of tool calls. */
export function callTurn(calls: readonly Action[], step: number): Turn {
  const tool_calls = calls.map(({ tool: name, input }, at) => ({
    id: `call_${step}_${at}`,
    type: "function" as const,
    function: { name, arguments: JSON.stringify(input) },
  }));
  return { message: { role: "assistant", content: null, tool_calls }, finishReason: "tool_calls" };
}

/** Makes a turn that ends the rollout. */
export function lastTurn(text = ""): Turn {
  return { message: { role: "assistant", content: text }, finishReason: "stop" };
}
