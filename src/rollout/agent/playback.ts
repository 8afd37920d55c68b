import { BiplaneError } from "../../errors.ts";
import { isObject } from "../../protocol/rpc.ts";
import { sameText } from "../divergence.ts";
import type { Divergence } from "../divergence.ts";
import type { Message } from "../message.ts";
import type { RecordedEpisode } from "../recording.ts";
import type { Agent, Player, SeenStep, Turn } from "./agent.ts";
import { callTurn, playbackTerminate } from "./agent.ts";

/**
 * Plays a recording again, word for word, and compares everything that comes back with what was recorded. Rollouts are
 * told apart by their number, as Eval Protocol has it.
 */
export function playbackAgent(
  recording: ReadonlyMap<string, RecordedEpisode>,
  options: { model?: string; repetitions?: number } = {},
): Agent {
  const { model = "unknown", repetitions = 1 } = options;
  return {
    name: "playback",
    model,
    begin: ({ index, repetition }) => {
      const episode = recording.get(String(index * repetitions + repetition)) ?? recording.get(String(index));
      if (!episode) throw new BiplaneError("INVALID_INPUT", `the recording has no rollout ${index}`);
      return new PlaybackPlayer(episode.messages);
    },
  };
}

class PlaybackPlayer implements Player {
  readonly #turns: readonly Message[];
  readonly #prompt: Message | undefined;
  /** What was recorded of each step, in order. */
  readonly #steps: readonly Message[];
  readonly #messages: readonly Message[];
  readonly #ending: string | undefined;
  #next = 0;

  constructor(messages: readonly Message[]) {
    this.#messages = messages;
    const said = messages.filter(({ role }) => role === "assistant");
    this.#turns = said.length > 0 ? said : messages.flatMap(callFromAnswer);
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
      const end = callTurn([{ name: playbackTerminate, input: { reason: "no_more_recorded_actions" } }], this.#next);
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

  check({ step, message, reward, terminated, truncated }: SeenStep): Divergence | undefined {
    const recorded = step < 0 ? this.#prompt : this.#steps[step];
    if (!recorded) return undefined; // it went on for longer, or nothing was written down
    const what = step < 0 ? "prompt" : "observation";
    if (!sameText(recorded.content, message.content))
      return { step, what, expected: recorded.content, actual: message.content };
    if (step < 0) return undefined;
    const known = factsOf(recorded);
    // Eval Protocol's own recordings know only one kind of end.
    const facts =
      known.truncated === true ? { reward, terminated, truncated } : { reward, terminated: terminated || truncated };
    for (const [fact, actual] of Object.entries(facts) as ["reward" | "terminated" | "truncated", unknown][]) {
      if (known[fact] !== undefined && known[fact] !== actual)
        return { step, what: fact, expected: known[fact], actual };
    }
    return undefined;
  }
}

/** Some recordings have no turns of the agent: its calls are told by their answers. */
function callFromAnswer(message: Message, at: number): Message[] {
  const metadata = isObject(message["metadata"]) ? message["metadata"] : {};
  const info = isObject(metadata["info"]) ? metadata["info"] : {};
  if (message.role !== "tool" || typeof info["tool_call"] !== "string") return [];
  const call = {
    id: message.tool_call_id ?? `call_${at}`,
    type: "function" as const,
    function: { name: info["tool_call"], arguments: JSON.stringify(info["arguments"] ?? {}) },
  };
  return [{ role: "assistant", content: null, tool_calls: [call] }];
}

function factsOf(message: Message): { reward?: unknown; terminated?: unknown; truncated?: unknown } {
  const step = message.control_plane_step;
  const metadata = isObject(message["metadata"]) ? message["metadata"] : {};
  if (!step) return { reward: metadata["reward"], terminated: metadata["terminated"] };
  return { reward: step.reward, terminated: step.terminated, truncated: step.truncated };
}
