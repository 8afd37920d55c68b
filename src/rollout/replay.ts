import { playbackAgent } from "./agent/playback.ts";
import type { Divergence } from "./divergence.ts";
import type { Envs, MakeOptions, RolloutTarget } from "./make.ts";
import { make } from "./make.ts";
import type { RecordedEpisode } from "./recording.ts";
import { rollout } from "./rollout.ts";
import type { TextStyle } from "./template.ts";
import type { Trace } from "./trace.ts";

export interface ReplayOptions {
  /** How observations were shown. */
  readonly style?: TextStyle;
  readonly concurrency?: number;
  readonly make?: Omit<MakeOptions, "rows" | "modelId">;
  readonly signal?: AbortSignal;
}

/** A trace that was played again, and the first thing that was not as before. */
export interface Replayed {
  readonly original: Trace;
  readonly trace: Trace;
  readonly divergence: Divergence | undefined;
}

/** Plays traces again, call by call, against any server that has the same tools, and compares all that comes back. */
export async function* replayTraces(
  traces: readonly Trace[],
  target: RolloutTarget,
  options: ReplayOptions = {},
): AsyncGenerator<Replayed, void, undefined> {
  const rows = traces.map(({ row }) => row);
  const recording = new Map(traces.map(({ messages }, at): [string, RecordedEpisode] => [String(at), { messages }]));
  const modelId = traces[0]?.model ?? "unknown";
  await using envs: Envs = await make(target, { ...options.make, rows: withSeeds(traces, rows), modelId });
  const steps = Math.max(1, ...traces.map((trace) => trace.steps.length));
  const played = rollout(envs, {
    agent: playbackAgent(recording, { model: modelId }),
    steps: steps + 1, // so that the end is the recording's own
    style: options.style ?? "json",
    concurrency: options.concurrency ?? 8,
    env: {},
    ...(options.signal && { signal: options.signal }),
  });
  for await (const { trace } of played) {
    const original = traces[trace.index] as Trace;
    yield { original, trace, divergence: trace.divergence ?? otherEnd(original, trace) };
  }
}

/** A row without a seed was given one, which has to be given again. */
function withSeeds(traces: readonly Trace[], rows: readonly Trace["row"][]): Trace["row"][] {
  return rows.map((row, at) => {
    const seed = traces[at]?.seed;
    const info = row.input_metadata?.dataset_info ?? {};
    const context = (info["environment_context"] ?? {}) as Readonly<Record<string, unknown>>;
    if (seed === null || seed === undefined || context["seed"] !== undefined) return row;
    const seeded = { ...context, seed: Number(seed) };
    return {
      ...row,
      input_metadata: { ...row.input_metadata, dataset_info: { ...info, environment_context: seeded } },
    };
  });
}

/** It went well step by step, and yet did not end as before. */
function otherEnd(original: Trace, trace: Trace): Divergence | undefined {
  const facts = ({ ending: { reason, terminated, truncated }, steps }: Trace) => ({
    reason,
    terminated,
    truncated,
    steps: steps.length,
  });
  const [expected, actual] = [facts(original), facts(trace)];
  const wasFailure = original.ending.reason === "error"; // which need not happen again
  if (wasFailure || JSON.stringify(expected) === JSON.stringify(actual)) return undefined;
  return { step: trace.steps.length, what: "ending", expected, actual };
}
