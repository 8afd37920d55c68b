import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import type { Agent } from "./agent/agent.ts";
import { playbackAgent } from "./agent/playback.ts";
import type { ChatMessage } from "./message.ts";
import type { Job } from "./play.ts";
import { LineFile, readRecording } from "./eval-protocol-recording.ts";
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
  const recording = target === undefined ? undefined : new LineFile(target);
  const log = logFile === undefined ? undefined : new LineFile(logFile);
  const open = new Map<string, OpenRollout>();
  return {
    agent,
    record: (event, { index, repetition }) => {
      if (event.type === "begin") {
        const { sessionId, seed } = event;
        open.set(event.rollout, { messages: [...event.messages], steps: 0, sessionId, seed });
        return;
      }
      const known = open.get(event.rollout);
      if (!known || event.type === "retry") return;
      known.messages.push(...event.messages.map(withoutTokens));
      const env_index = index * repetitions + repetition;
      if (event.type === "step") {
        known.steps++;
        recording?.append({ env_index, step: event.step, messages: known.messages });
        return;
      }
      open.delete(event.rollout);
      // Write the last line again, now with the reason for the end.
      const messages = withReason(known.messages, event.ending);
      recording?.append({ env_index, step: Math.max(0, known.steps - 1), messages });
      if (event.ending.terminated || event.ending.truncated) log?.append(logLine(event, { ...known, messages }));
    },
    flush: async () => {
      await Promise.all([recording?.flush(), log?.flush()]);
    },
  };
}

interface OpenRollout {
  readonly messages: ChatMessage[];
  steps: number;
  readonly sessionId: string;
  readonly seed: string | null;
}

/** A finished rollout in Eval Protocol's log. */
function logLine(
  { totalReward, ending }: TraceEnd,
  { messages, steps, sessionId, seed }: Omit<OpenRollout, "messages"> & { readonly messages: readonly ChatMessage[] },
): object {
  const last = messages.findLast((message) => message.control_plane_step)?.control_plane_step;
  const summary = {
    total_reward: totalReward,
    termination_reason: ending.reason,
    final_step: steps - 1,
    control_plane_source: last?.info ?? {},
  };
  const metadata = {
    session_id: sessionId,
    seed: seed === null ? null : Number(seed),
    total_steps: steps,
    total_reward: totalReward,
    terminated: true,
    success: (last?.reward ?? 0) > 0,
    control_plane_summary: summary,
  };
  return { messages, metadata };
}

/** A recording repeats the conversation in every line, and nobody reads tokens from it. */
function withoutTokens(message: ChatMessage): ChatMessage {
  const { tokens: _, ...rest } = message;
  return rest;
}
