import { playbackAgent } from "./agent/playback.ts";
import type { Divergence } from "./divergence.ts";
import type { EnvironmentTarget } from "@biplane/core/client";
import type { Envs, MakeOptions } from "./make.ts";
import { make } from "./make.ts";
import type { RecordedEpisode } from "./eval-protocol-recording.ts";
import { rollout } from "./rollout.ts";
import type { TextStyle } from "./template.ts";
import type { Trace } from "./trace.ts";

export interface ReplayOptions {
  /** The style of the original run (default: `json`). */
  readonly style?: TextStyle;
  readonly concurrency?: number;
  readonly make?: Omit<MakeOptions, "rows" | "modelId">;
  readonly signal?: AbortSignal;
}

/** A replayed trace and its first divergence from the original. */
export interface Replayed {
  readonly original: Trace;
  readonly trace: Trace;
  readonly divergence: Divergence | undefined;
}

/** Replays the calls of traces against any server with the same tools, and compares every result. */
export async function* replayTraces(
  traces: readonly Trace[],
  target: EnvironmentTarget,
  options: ReplayOptions = {},
): AsyncGenerator<Replayed, void, undefined> {
  const recording = new Map(traces.map(({ messages }, at): [string, RecordedEpisode] => [String(at), { messages }]));
  const modelId = traces[0]?.model ?? "unknown";
  await using envs: Envs = await make(target, { ...options.make, rows: traces.map(seededRow), modelId });
  const steps = Math.max(1, ...traces.map((trace) => trace.steps.length));
  const played = rollout(envs, {
    agent: playbackAgent(recording, { model: modelId }),
    steps: steps + 1, // one more, so that the recording's own end applies
    style: options.style ?? "json",
    concurrency: options.concurrency ?? 8,
    env: {},
    ...(options.signal && { signal: options.signal }),
  });
  for await (const { trace } of played) {
    const original = traces[trace.index] as Trace;
    yield { original, trace, divergence: trace.divergence ?? endingDivergence(original, trace) };
  }
}

/** The row of a trace, with the drawn seed if it has none. */
function seededRow({ row, seed }: Trace): Trace["row"] {
  const info = row.input_metadata?.dataset_info ?? {};
  const context = (info["environment_context"] ?? {}) as Readonly<Record<string, unknown>>;
  if (seed === null || context["seed"] !== undefined) return row;
  const seeded = { ...context, seed: Number(seed) };
  return { ...row, input_metadata: { ...row.input_metadata, dataset_info: { ...info, environment_context: seeded } } };
}

/** Compares the endings of two traces whose steps are equal. */
function endingDivergence(original: Trace, trace: Trace): Divergence | undefined {
  const facts = ({ ending: { reason, terminated, truncated }, steps }: Trace) => ({
    reason,
    terminated,
    truncated,
    steps: steps.length,
  });
  const [expected, actual] = [facts(original), facts(trace)];
  const wasFailure = original.ending.reason === "error"; // errors such as timeouts need not happen again
  if (wasFailure || JSON.stringify(expected) === JSON.stringify(actual)) return undefined;
  return { step: trace.steps.length, what: "ending", expected, actual };
}
