import { makeFailure } from "@biplane/core";
import { parseRows, setupOf } from "../rollout/row.ts";
import type { Row, RowSetup } from "../rollout/row.ts";
import { TraceRecorder } from "../rollout/trace-recorder.ts";
import type { WrittenEvent } from "../store/runs/rollouts.ts";
import type { Run } from "../store/runs/run.ts";
import { EventBuffer } from "./event-buffer.ts";
import type { QueuedRollout } from "./rollout-queue.ts";

/** The trace of a rollout that was set aside: nobody knows how it would have ended, so it has no steps. */
export function lostRollout(run: Run, rollout: QueuedRollout): WrittenEvent[] {
  const buffer = new EventBuffer(run.id);
  const { index, repetition, players = [] } = rollout;
  const [row = { messages: [] }] = parseRows(rollout.row);
  const { id: rowId, seed } = setupIn(row, index);
  const recorder = new TraceRecorder(buffer.add);
  const facts = { run: run.id, index, repetition, rowId, row, seed: seed === null ? null : String(seed) };
  recorder.begin({ ...facts, sessionId: "", agent: run.agent, model: run.model }, undefined);
  const message = `The rollout was set aside: the ${players.length} workers that played it died or did not answer any more (${players.join(", ")}).`;
  const ending = { reason: "error", kind: "lost", message, terminated: false, truncated: false } as const;
  recorder.end(ending, { durationMs: 0, divergence: undefined, faults: [], failure: makeFailure("lost", message) });
  return buffer.events;
}

/** The row may be what is wrong. */
function setupIn(row: Row, index: number): Pick<RowSetup, "id" | "seed"> {
  try {
    return setupOf(row, index);
  } catch {
    return { id: row.input_metadata?.row_id ?? `task_${index}`, seed: null };
  }
}
