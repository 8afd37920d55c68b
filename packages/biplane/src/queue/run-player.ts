import { setMaxListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { BiplaneError } from "@biplane/core";
import type { Connector } from "@biplane/core/internal";
import type { Agent } from "../rollout/agent/agent.ts";
import { playRow } from "../rollout/play.ts";
import type { PlayOptions } from "../rollout/play.ts";
import { parseRows } from "../rollout/row.ts";
import { GroupWriter } from "../store/group-writer.ts";
import { recordRollouts } from "../store/runs/record-rollouts.ts";
import type { WrittenEvent } from "../store/runs/rollouts.ts";
import type { Run } from "../store/runs/run.ts";
import { withRetries } from "../store/runs/trace-writer.ts";
import type { SqlStore } from "../store/sql-store.ts";
import { EventBuffer } from "./event-buffer.ts";
import { removeRollouts } from "./queue-tables.ts";
import type { TakenRollout } from "./rollout-queue.ts";

/** What a worker needs to play a run. */
export interface OpenedRun extends Pick<PlayOptions, "agent" | "user" | "style" | "retries"> {
  readonly agent: Agent;
  readonly connector: Connector;
  close(): Promise<void>;
}

/** Plays rollouts of one run, and records each that ends. */
export class RunPlayer {
  readonly run: Run;
  readonly #opened: OpenedRun;
  readonly #store: SqlStore;
  readonly #stop = new AbortController();
  readonly #writer: GroupWriter<Finished, void>;

  constructor(run: Run, opened: OpenedRun, store: SqlStore) {
    this.run = run;
    this.#opened = opened;
    this.#store = store;
    setMaxListeners(0, this.#stop.signal);
    const sizeOf = ({ events }: Finished) => events.reduce((sum, { line }) => sum + line.length, 0);
    this.#writer = new GroupWriter((group) => recordAll(store, run.id, group), { sizeOf });
  }

  /** Plays a rollout and records it. Returns false, and records nothing, if it was aborted. */
  async play(rollout: TakenRollout): Promise<boolean> {
    const { index, repetition, players = [] } = rollout;
    const [row] = parseRows(rollout.row);
    if (!row) throw new BiplaneError("INTERNAL", `The job ${rollout.job} has no row.`);
    // A worker that seems dead may still play it. The two must not share a session of the environment.
    const occurrence = rollout.occurrence + Math.max(0, players.length - 1) * anotherSession;
    const buffer = new EventBuffer(this.run.id);
    const { signal } = this.#stop;
    const trace = await playRow({ row, index, repetition, occurrence }, {
      ...this.#opened,
      run: this.run.id,
      modelId: this.run.model,
      steps: this.run.steps,
      groups: undefined,
      masks: undefined,
      signal,
      onEvent: buffer.add,
      sleep: (ms, stop) => pause(ms, undefined, { signal: stop }),
      random: Math.random,
      now: () => performance.now(),
    } satisfies PlayOptions);
    if (signal.aborted && trace.ending.reason === "error") return false;
    await withRetries(this.#store, () => this.#writer.write({ job: rollout.job, events: buffer.events }));
    return true;
  }

  /** Ends the rollouts that are being played. */
  abort(): void {
    this.#stop.abort(new BiplaneError("CANCELLED", "The worker stopped, or the run was cancelled."));
  }

  close(): Promise<void> {
    return this.#opened.close();
  }
}

/** A rollout that ended, and its job. */
interface Finished {
  readonly job: string;
  readonly events: readonly WrittenEvent[];
}

/** Records rollouts and removes their jobs, all or nothing. Those of a run that is over are only removed. */
async function recordAll(store: SqlStore, run: string, finished: readonly Finished[]): Promise<void[]> {
  const ids = finished.map(({ job }) => job);
  await store.db.transaction().execute(async (transaction) => {
    await recordRollouts(
      transaction,
      run,
      finished.map(({ events }) => events),
    );
    await removeRollouts(transaction, ids);
  });
  return finished.map(() => undefined);
}

/** More than the duplicates of a row. */
const anotherSession = 1_000_000_000;
