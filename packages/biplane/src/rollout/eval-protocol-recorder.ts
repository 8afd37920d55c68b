import { existsSync } from "node:fs";
import { appendFile, writeFile } from "node:fs/promises";
import type { Agent } from "./agent/agent.ts";
import { playbackAgent } from "./agent/playback.ts";
import type { ChatMessage } from "./message.ts";
import type { Job } from "./play.ts";
import { RecordingWriter, readRecording } from "./eval-protocol-recording.ts";
import type { TraceEnd, TraceEvent } from "./trace.ts";
import { withReason } from "./trace.ts";

export interface RecorderOptions {
  readonly agent: Agent;
  readonly playbackFile?: string;
  readonly record?: string;
  readonly openaiFormatLogFile?: string;
  readonly repetitions?: number;
  /** Appends to existing files instead of truncating them. */
  readonly resume?: boolean;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Writes Eval Protocol's files during a run. `agent` is the playback agent if a recording is replayed. */
export interface Recorder {
  readonly agent: Agent;
  record(event: TraceEvent, job: Job): void;
  flush(): Promise<void>;
}

/** Replays the playback file if it exists; otherwise records to it. */
export async function openRecorder(options: RecorderOptions, jobs: number): Promise<Recorder> {
  const { env = process.env, openaiFormatLogFile: logFile, record, repetitions = 1 } = options;
  const playbackFile = options.playbackFile ?? (env["EP_PLAYBACK_FILE"] || undefined);
  const isPlayback = record === undefined && playbackFile !== undefined && existsSync(playbackFile);
  const agent = isPlayback
    ? playbackAgent(await readRecording(playbackFile), { model: options.agent.model })
    : options.agent;
  const target = record ?? (isPlayback ? undefined : playbackFile);
  const empty = async (file: string | undefined) => file !== undefined && !options.resume && writeFile(file, "");
  if (jobs > 0) await Promise.all([empty(target), empty(logFile)]);
  if (target === undefined && logFile === undefined)
    return { agent, record: () => undefined, flush: async () => undefined };
  return new FileRecorder(agent, { target, logFile, repetitions });
}

class FileRecorder implements Recorder {
  readonly agent: Agent;
  readonly #recording: RecordingWriter | undefined;
  readonly #logFile: string | undefined;
  readonly #repetitions: number;
  readonly #open = new Map<
    string,
    { messages: ChatMessage[]; steps: number; sessionId: string; seed: string | null }
  >();
  #logging: Promise<void> = Promise.resolve();

  constructor(agent: Agent, options: { target: string | undefined; logFile: string | undefined; repetitions: number }) {
    this.agent = agent;
    this.#recording = options.target === undefined ? undefined : new RecordingWriter(options.target);
    this.#logFile = options.logFile;
    this.#repetitions = options.repetitions;
  }

  record(event: TraceEvent, { index, repetition }: Job): void {
    const number = index * this.#repetitions + repetition;
    if (event.type === "begin") {
      const { sessionId, seed } = event;
      this.#open.set(event.rollout, { messages: [...event.messages], steps: 0, sessionId, seed });
      return;
    }
    const known = this.#open.get(event.rollout);
    if (!known || event.type === "retry") return;
    known.messages.push(...event.messages.map(withoutTokens));
    if (event.type === "step") {
      known.steps++;
      this.#recording?.write(number, event.step, known.messages);
      return;
    }
    this.#open.delete(event.rollout);
    // Write the last line again, now with the reason for the end.
    this.#recording?.write(number, Math.max(0, known.steps - 1), withReason(known.messages, event.ending));
    if (event.ending.terminated || event.ending.truncated) this.#log(event, known);
  }

  async flush(): Promise<void> {
    await Promise.all([this.#recording?.flush(), this.#logging]);
  }

  #log(
    end: TraceEnd,
    known: { messages: readonly ChatMessage[]; steps: number; sessionId: string; seed: string | null },
  ): void {
    const { totalReward, ending } = end;
    const last = known.messages.findLast((message) => message.control_plane_step)?.control_plane_step;
    const summary = {
      total_reward: totalReward,
      termination_reason: ending.reason,
      final_step: known.steps - 1,
      control_plane_source: last?.info ?? {},
    };
    const metadata = {
      session_id: known.sessionId,
      seed: known.seed === null ? null : Number(known.seed),
      total_steps: known.steps,
      total_reward: totalReward,
      terminated: true,
      success: (last?.reward ?? 0) > 0,
      control_plane_summary: summary,
    };
    const line = `${JSON.stringify({ messages: withReason(known.messages, ending), metadata })}\n`;
    const file = this.#logFile;
    if (file !== undefined) this.#logging = this.#logging.then(() => appendFile(file, line));
  }
}

/** A recording repeats the conversation in every line, and nobody reads tokens from it. */
function withoutTokens(message: ChatMessage): ChatMessage {
  const { tokens: _, ...rest } = message;
  return rest;
}
