import type { Message } from "../rollout/message.ts";
import type { TraceFacts } from "../rollout/run-index.ts";
import type { TraceStep } from "../rollout/trace.ts";
import { boundedJson } from "./call-json.ts";
import type { OpenedTrace, ShownTrace } from "./contract.ts";
import type { FoundTrace } from "./run-room.ts";
import { traceId } from "./trace-id.ts";

/** A trace in a list. */
export function shownTrace(run: string, { rollout, startedAt, ...facts }: TraceFacts): ShownTrace {
  return { id: traceId(run, rollout), run, ...facts, startedAt: new Date(startedAt).toISOString() };
}

/** A whole trace. What is long is cut and says so; a trace of many long steps is cut more. */
export function openedTrace({ shelved, row, trace }: FoundTrace, canReplay: boolean): OpenedTrace {
  const room = new Room(Math.floor(longestTrace / (1 + 3 * trace.steps.length)));
  return {
    ...shownTrace(shelved.index.run, shelved.index.at(row)),
    observation: room.value(trace.observation),
    messages: trace.messages.map((message) => room.message(message)),
    ending: room.value(trace.ending) as OpenedTrace["ending"],
    usage: trace.usage,
    trace: trace.steps.map((step) => room.step(step)),
    canReplay,
  };
}

/** A value for reading: plain data, cut where it is longer than anybody reads. */
export function readable(value: unknown): unknown {
  return new Room(longestValue).value(value);
}

const longestTrace = 12_000_000;
const longestValue = 100_000;
const shortestValue = 1000;
const longestPicture = 2_000_000;

/** Cuts all values of a trace alike. */
class Room {
  readonly #most: number;
  #pictures = longestTrace;

  constructor(most: number) {
    this.#most = Math.max(shortestValue, Math.min(longestValue, most));
  }

  value(value: unknown): unknown {
    return value === undefined ? undefined : (JSON.parse(boundedJson(value, this.#most)) as unknown);
  }

  message(message: Message): Message {
    const { content, ...rest } = message;
    const shown = Array.isArray(content) ? content.map((part) => this.#part(part)) : this.value(content);
    return { ...(this.value(rest) as object), ...(content !== undefined && { content: shown }) } as Message;
  }

  step(step: TraceStep): TraceStep {
    const { messages, observation, call, faults, ...facts } = step;
    return {
      ...facts,
      messages: messages.map((message) => this.message(message)),
      call: this.value(call) as TraceStep["call"],
      observation: this.value(observation),
      faults: this.value(faults) as TraceStep["faults"],
    };
  }

  /** Half a picture is none. */
  #part(part: unknown): unknown {
    const url = (part as { image_url?: { url?: unknown } } | null)?.image_url?.url;
    if (typeof url !== "string") return this.value(part);
    if (url.length <= Math.min(longestPicture, this.#pictures)) {
      this.#pictures -= url.length;
      return { type: "image_url", image_url: { url } };
    }
    return { type: "text", text: `(a picture of ${url.length} characters, not shown)` };
  }
}
