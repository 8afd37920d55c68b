import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { playingCounts } from "../../queue/queue-tables.ts";
import { findRun } from "../../store/runs/run.ts";
import type { Run, StoredRun } from "../../store/runs/run.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import { interruption } from "../command/exit-code.ts";
import { duration } from "../terminal/format.ts";
import { interruptSignal } from "../terminal/interrupt.ts";

/** Shows the progress of a run that workers play until it is over. Ctrl-C leaves the run to them. */
export async function followRun(store: SqlStore, run: Run): Promise<StoredRun> {
  const output = process.stderr;
  using interrupted = interruptSignal();
  const { ended: before } = await findRun(store, run.id);
  const startedAt = performance.now();
  let shown = "";
  try {
    for (;;) {
      const now = await findRun(store, run.id);
      if (now.status !== "running") return now;
      const line = progressLine(now, {
        playing: (await playingCounts(store)).get(run.id) ?? 0,
        perMs: (now.ended - before) / (performance.now() - startedAt),
      });
      if (output.isTTY) output.write(`\r\u001B[2K${line}`);
      else if (line !== shown) output.write(`${line}\n`);
      shown = line;
      await Promise.race([
        pause(output.isTTY ? 500 : 2000, undefined, { signal: interrupted.signal }).catch(() => undefined),
        ...(interrupted.signal.aborted ? [] : [once(interrupted.signal, "abort")]),
      ]);
      if (interrupted.signal.aborted) throw interruption(`The run goes on.\n${howToFollow(run, store)}`);
    }
  } finally {
    if (output.isTTY) output.write("\r\u001B[2K");
  }
}

/** The commands for a run that workers play. */
export function howToFollow({ id }: Run, { name }: SqlStore): string {
  return [
    `Start workers:  biplane worker --store ${name}`,
    `Follow the run: biplane runs watch ${id} --store ${name}`,
    `Cancel it:      biplane runs cancel ${id} --store ${name}`,
  ].join("\n");
}

interface Progress {
  readonly playing: number;
  readonly perMs: number;
}

function progressLine(run: StoredRun, { playing, perMs }: Progress): string {
  const all = run.rows * run.repetitions;
  const left = all - run.ended;
  return [
    `${run.ended}/${all}`,
    queueText(run, playing),
    `${run.failed} failed`,
    ...(perMs > 0 ? [`${(perMs * 1000).toFixed(1)} rollouts/s`, `${duration(left / perMs)} left`] : []),
    ...(playing === 0 && left > 0 ? ["waiting for a worker"] : []),
  ].join("  ");
}

/** How many rollouts are being played, and how many wait. */
export function queueText({ rows, repetitions, ended }: StoredRun, playing: number): string {
  return `${playing} playing, ${Math.max(0, rows * repetitions - ended - playing)} queued`;
}
