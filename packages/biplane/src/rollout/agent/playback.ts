import { BiplaneError } from "@biplane/core";
import { sameText } from "../divergence.ts";
import type { Divergence } from "../divergence.ts";
import type { ChatMessage } from "../message.ts";
import type { RecordedEpisode } from "../eval-protocol-recording.ts";
import type { Agent, EpisodePlayer, ObservedStep, Turn } from "./agent.ts";
import { callTurn, playbackTerminate } from "./agent.ts";
import { isRecord } from "@biplane/core/internal";

/**
 * Replays a recording and compares every result with it. Rollouts are identified by their number, as in Eval Protocol.
 */
export function playbackAgent(
  recording: ReadonlyMap<string, RecordedEpisode>,
  options: { model?: string; repetitions?: number } = {},
): Agent {
  const { model = "unknown", repetitions = 1 } = options;
  return {
    name: "playback",
    model,
    isPlayback: true,
    begin: ({ index, repetition }) => {
      const episode = recording.get(String(index * repetitions + repetition)) ?? recording.get(String(index));
      if (!episode) throw new BiplaneError("INVALID_INPUT", `The recording has no rollout ${index}.`);
      return new PlaybackPlayer(episode.messages);
    },
  };
}

class PlaybackPlayer implements EpisodePlayer {
  readonly #turns: readonly ChatMessage[];
  readonly #prompt: ChatMessage | undefined;
  /** The recorded messages that end a step, in order. */
  readonly #steps: readonly ChatMessage[];
  readonly #messages: readonly ChatMessage[];
  readonly #ending: string | undefined;
  #next = 0;

  constructor(messages: readonly ChatMessage[]) {
    this.#messages = messages;
    const turns = messages.filter(({ role }) => role === "assistant");
    this.#turns = turns.length > 0 ? turns : messages.flatMap(callFromResult);
    const firstTurn = messages.findIndex(({ role }) => role === "assistant" || role === "tool");
    this.#prompt = messages.slice(0, firstTurn < 0 ? undefined : firstTurn).findLast(({ role }) => role === "user");
    this.#steps = messages.filter(
      (message) => message.control_plane_step ?? (message.role === "tool" && message["metadata"]),
    );
    this.#ending = messages.findLast((message) => message.control_plane_step)?.control_plane_step?.termination_reason;
  }

  turn(): Turn {
    const message = this.#turns[this.#next++];
    if (!message) {
      const end = callTurn([{ tool: playbackTerminate, input: { reason: "no_more_recorded_actions" } }], this.#next);
      return { ...end, finishReason: "stop", ending: this.#ending };
    }
    const at = this.#messages.indexOf(message);
    const follower = this.#messages[at + 1];
    const isAnswered = !message.tool_calls?.length && follower?.role === "user";
    const isLast = this.#next === this.#turns.length;
    return {
      message,
      finishReason: message.tool_calls?.length ? "tool_calls" : "stop",
      ...(isAnswered && { userReply: follower }),
      ...(isLast && { ending: this.#ending }),
    };
  }

  check({ step, message, reward, terminated, truncated }: ObservedStep): Divergence | undefined {
    const recorded = step < 0 ? this.#prompt : this.#steps[step];
    if (!recorded) return undefined; // the playback has more steps than the recording
    const what = step < 0 ? "prompt" : "observation";
    if (!sameText(recorded.content, message.content))
      return { step, what, expected: recorded.content, actual: message.content };
    if (step < 0) return undefined;
    const known = factsOf(recorded);
    // Eval Protocol's own recordings do not distinguish terminated from truncated.
    const facts =
      known.truncated === true ? { reward, terminated, truncated } : { reward, terminated: terminated || truncated };
    for (const [fact, actual] of Object.entries(facts) as ["reward" | "terminated" | "truncated", unknown][]) {
      if (known[fact] !== undefined && known[fact] !== actual)
        return { step, what: fact, expected: known[fact], actual };
    }
    return undefined;
  }
}

/** Rebuilds a call from its result, for recordings without assistant messages. */
function callFromResult(message: ChatMessage, at: number): ChatMessage[] {
  const metadata = isRecord(message["metadata"]) ? message["metadata"] : {};
  const info = isRecord(metadata["info"]) ? metadata["info"] : {};
  if (message.role !== "tool" || typeof info["tool_call"] !== "string") return [];
  const call = {
    id: message.tool_call_id ?? `call_${at}`,
    type: "function" as const,
    function: { name: info["tool_call"], arguments: JSON.stringify(info["arguments"] ?? {}) },
  };
  return [{ role: "assistant", content: null, tool_calls: [call] }];
}

function factsOf(message: ChatMessage): { reward?: unknown; terminated?: unknown; truncated?: unknown } {
  const step = message.control_plane_step;
  const metadata = isRecord(message["metadata"]) ? message["metadata"] : {};
  if (!step) return { reward: metadata["reward"], terminated: metadata["terminated"] };
  return { reward: step.reward, terminated: step.terminated, truncated: step.truncated };
}
