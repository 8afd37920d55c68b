import { saveRun } from "../../packages/biplane/src/store/runs/run.ts";
import type { Run } from "../../packages/biplane/src/store/runs/run.ts";
import type { TraceEvent } from "../../packages/biplane/src/rollout/trace.ts";
import { TraceWriter } from "../../packages/biplane/src/store/runs/trace-writer.ts";
import type { SqlStore } from "biplane/store";

/**
 * Writes a run of `count` synthetic rollouts. The events go through the real writer, so that the index is the same as
 * for a played run.
 */
export async function writeManyTraces(store: SqlStore, { run: id, count }: ManyTraces): Promise<void> {
  const run: Run = {
    id,
    status: "running",
    startedAt: new Date(firstMoment).toISOString(),
    endedAt: undefined,
    target: "frozen-lake",
    agent: "random",
    model: "random",
    rows: count,
    repetitions: 1,
    steps: 64,
    concurrency: 64,
    version: "1.0.0",
    pid: process.pid,
    settings: undefined,
    tags: [],
  };
  await saveRun(store, run);
  const writer = new TraceWriter({ store, run: id });
  for (let index = 0; index < count; index++) {
    for (const event of eventsOf(id, index)) writer.write(event);
    if (index % flushEvery === 0) await writer.flush();
  }
  await writer.flush();
  await saveRun(store, { ...run, status: "finished", endedAt: new Date(firstMoment + count * 20).toISOString() });
}

export interface ManyTraces {
  readonly run: string;
  readonly count: number;
}

const firstMoment = Date.parse("2026-01-01T00:00:00Z");
const flushEvery = 2000;
const moves = ["LEFT", "DOWN", "RIGHT", "UP"];

/** A rollout of three to eight steps. A few fail; rewards have hundreds of distinct values. */
function eventsOf(run: string, index: number): TraceEvent[] {
  const rollout = `r${index.toString(36).padStart(6, "0")}`;
  const about = { index, repetition: 0, rollout };
  const steps = 3 + (index % 6);
  const isFailed = index % 37 === 0;
  const reward = ((index * 7919) % 1000) / 500 - 0.5;
  const events: TraceEvent[] = [
    {
      type: "begin",
      ...about,
      run,
      rowId: `seed_${index}`,
      row: { messages: [], input_metadata: { row_id: `seed_${index}` } },
      seed: String(index),
      sessionId: rollout,
      agent: "random",
      model: "random",
      startedAt: new Date(firstMoment + index * 20).toISOString(),
      observation: { position: 0, grid: "SFFF\nFHFH\nFFFH\nHFFG" },
      source: "control_plane",
      tools: [{ type: "function", function: { name: "lake_move", description: "Moves", parameters: {} } }],
      faults: [],
      messages: [
        { role: "system", content: "Cross the lake." },
        { role: "user", content: "You see SFFF FHFH FFFH HFFG" },
      ],
    },
  ];
  for (let step = 0; step < steps; step++) events.push(stepOf(about, { step, isLast: step === steps - 1, reward }));
  return [
    ...events,
    {
      type: "end",
      ...about,
      messages: [],
      ending: isFailed
        ? { reason: "error", kind: "model", message: "the model did not answer", terminated: false, truncated: false }
        : {
            reason: index % 5 === 0 ? "max_steps" : "control_plane_signal",
            terminated: index % 5 !== 0,
            truncated: index % 5 === 0,
          },
      totalReward: reward,
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
      cost: undefined,
      durationMs: 5 + ((index * 31) % 4000) / 10,
      controlFailures: 0,
      divergence: undefined,
    },
  ];
}

function stepOf(
  { index, rollout }: { readonly index: number; readonly rollout: string },
  { step, isLast, reward }: { readonly step: number; readonly isLast: boolean; readonly reward: number },
): TraceEvent {
  const input = { action: moves[(index + step) % moves.length] };
  const id = `call_${step}`;
  const observation = { position: (index + step) % 16 };
  const call = { id, type: "function" as const, function: { name: "lake_move", arguments: JSON.stringify(input) } };
  return {
    type: "step",
    rollout,
    step,
    messages: [
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", tool_call_id: id, content: JSON.stringify(observation) },
    ],
    call: { id, tool: "lake_move", input, isError: false },
    observation,
    reward: isLast ? reward : 0,
    terminated: isLast,
    truncated: false,
    timings: { agentMs: 1, actMs: 1, judgeMs: 1 },
    faults: [],
  };
}
