import { setMaxListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { BiplaneError } from "@biplane/core";
import type { Masks } from "@biplane/core";
import { ownName } from "@biplane/core/internal";
import type { RolloutTelemetry } from "../observe/rollout-spans.ts";
import type { SqlStore } from "../store/sql-store.ts";
import type { Agent } from "./agent/agent.ts";
import { groupStarts } from "./group-starts.ts";
import type { Envs } from "./make.ts";
import { playRow } from "./play.ts";
import type { Job, PlayOptions } from "./play.ts";
import { openRecorder } from "./eval-protocol-recorder.ts";
import { playedRow } from "./played-row.ts";
import type { PlayedRow } from "./played-row.ts";
import { JobPool } from "./job-pool.ts";
import type { RowSetup } from "./row.ts";
import { finishedJobs } from "../store/runs/rollouts.ts";
import { findRun, newRunId, saveRun } from "../store/runs/run.ts";
import type { Run } from "../store/runs/run.ts";
import { figuresOf } from "../store/runs/run-figures.ts";
import type { TextStyle } from "./template.ts";
import { jobKey } from "../store/runs/rollout-facts.ts";
import { TraceWriter } from "../store/runs/trace-writer.ts";
import type { SimulatedUser } from "./user.ts";

/** Options of `rollout`. */
export interface RolloutOptions {
  readonly agent: Agent;
  /** Maximum steps per rollout (default: 512). A call is a step, and so is a turn without calls. */
  readonly steps?: number;
  /** Rollouts to run in parallel (default: 8). */
  readonly concurrency?: number;
  /** Rollouts per row (default: 1). */
  readonly repetitions?: number;
  /** Starts the repetitions of a row from one forked episode. Needs an environment here or on a Biplane server. */
  readonly fork?: boolean;
  /** Format of observations in prompts and messages: `json` (default) or `python`, as in Eval Protocol. */
  readonly style?: TextStyle;
  /**
   * How often a rollout is repeated after a failure of a model, a simulated user, a judge or the infrastructure
   * (default: 0). The trace lists the failed attempts.
   */
  readonly retries?: number;
  /** Which failures leave a rollout without a reward (default: all but `agent`, `tool` and `policy`). */
  readonly masks?: Masks;
  /** Returns the simulated user for a row, see `simulatedUsers`. */
  readonly user?: (setup: RowSetup) => SimulatedUser | undefined;
  /** Where to save the run and its traces. */
  readonly store?: SqlStore;
  /** Id of the run (default: generated from the time). */
  readonly run?: string;
  /** A name to find the run by. Several runs may have the same one. */
  readonly name?: string;
  /** Words to find the run by. */
  readonly tags?: readonly string[];
  /** The least total reward with which a rollout passes, saved with the run (default: any above 0). */
  readonly pass?: number;
  /** Continues the run `run`: finished rollouts are not repeated. Needs `store`. */
  readonly resume?: boolean;
  /** Additional data to save with the run. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** JSONL file for traces, in addition to the store or without one. */
  readonly traceFile?: string;
  /** Eval Protocol recording: replayed if the file exists, else written (default: `EP_PLAYBACK_FILE`). */
  readonly playbackFile?: string;
  /** Writes a recording to this file and overwrites it if it exists. */
  readonly record?: string;
  /** Eval Protocol log: one line per rollout that the environment ended. */
  readonly openaiFormatLogFile?: string;
  /** Spans and token usage of the rollouts: `await traceRollouts()` of `biplane/observe`. */
  readonly telemetry?: RolloutTelemetry;
  readonly signal?: AbortSignal;
  readonly onRun?: (run: Run, jobs: number) => void;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly sleep?: PlayOptions["sleep"];
  readonly random?: () => number;
  readonly now?: () => number;
}

/**
 * Plays every row and yields each when it is done. A failed rollout yields a row with an error; only errors that stop
 * the whole run are thrown. Leaving the loop early cancels the run.
 */
export async function* rollout(envs: Envs, options: RolloutOptions): AsyncGenerator<PlayedRow, void, undefined> {
  const { store, repetitions = 1, concurrency = 8, resume } = options;
  const run = await describedRun(envs, options);
  if (store) await saveRun(store, run);
  const finished = resume && store ? await finishedJobs(store, run.id) : new Set<string>();
  const jobs = jobsOf(envs, repetitions).filter((job) => !finished.has(jobKey(job)));
  options.onRun?.(run, jobs.length);
  const recorder = await openRecorder(options, jobs.length);
  const writer = new TraceWriter({ store, file: options.traceFile, run: run.id });
  const stopping = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stopping.signal]) : stopping.signal;
  setMaxListeners(0, signal); // one listener per rollout, thousands in a large run
  const play: PlayOptions = {
    connector: envs.connector,
    agent: recorder.agent,
    run: run.id,
    modelId: run.model,
    steps: options.steps ?? 512,
    style: options.style ?? "json",
    groups: options.fork ? groupStarts(envs.connector) : undefined,
    masks: options.masks,
    retries: options.retries ?? 0,
    user: options.user,
    telemetry: options.telemetry,
    signal,
    onEvent: (event) => writer.write(event),
    sleep: options.sleep ?? ((ms, stop) => pause(ms, undefined, { signal: stop })),
    random: options.random ?? Math.random,
    now: options.now ?? (() => performance.now()),
  };
  const pool = new JobPool(jobs, {
    concurrency,
    work: async (job) => {
      if (signal.aborted) return undefined;
      const trace = await playRow(job, {
        ...play,
        onEvent: (event) => (writer.write(event), recorder.record(event, job)),
      });
      await Promise.all([writer.flush(), recorder.flush()]);
      return playedRow(trace);
    },
  });
  let isComplete = false;
  try {
    for await (const row of pool) if (row) yield row;
    isComplete = !signal.aborted;
  } finally {
    stopping.abort(new BiplaneError("CANCELLED", "The run was cancelled."));
    await pool.end();
    await Promise.all([writer.flush(), recorder.flush()]);
    const status = isComplete ? "finished" : "cancelled";
    if (store) await endRun(store, { ...run, status, endedAt: new Date().toISOString() });
  }
}

/** Also stores the figures, which take long for large runs. */
async function endRun(store: SqlStore, run: Run): Promise<void> {
  await saveRun(store, run);
  await figuresOf(store, await findRun(store, run.id));
}

/** The run that the options describe, or with `resume` the earlier one, as it begins. It is not saved yet. */
export async function describedRun(envs: Envs, options: RolloutOptions): Promise<Run> {
  const { store, agent, resume, repetitions = 1 } = options;
  if (resume && (!store || options.run === undefined))
    throw new BiplaneError("INVALID_DEFINITION", "`resume` needs `store` and the id of the run in `run`.");
  const before = resume && store ? await findRun(store, options.run as string) : undefined;
  if (before && (before.rows !== envs.rows.length || before.repetitions !== repetitions)) {
    const was = `${before.rows} rows and ${before.repetitions} repetitions`;
    throw new BiplaneError(
      "INVALID_INPUT",
      `The run ${before.id} had ${was}. Resume it with the same rows and repetitions.`,
    );
  }
  return {
    id: options.run ?? newRunId(),
    name: options.name ?? before?.name,
    pass: options.pass ?? before?.pass,
    status: "running",
    startedAt: before?.startedAt ?? new Date().toISOString(),
    endedAt: undefined,
    target: envs.connector.name,
    agent: agent.name,
    model: envs.modelId ?? agent.model,
    rows: envs.rows.length,
    repetitions,
    steps: options.steps ?? 512,
    concurrency: options.concurrency ?? 8,
    version: ownName().version,
    pid: process.pid,
    settings: options.settings ?? before?.settings,
    tags: options.tags ?? before?.tags ?? [],
  };
}

/** The rollouts of a run, by row and repetition. */
export function jobsOf({ rows }: Envs, repetitions: number): Job[] {
  const seen = new Map<string, number>();
  return rows.flatMap((row, index) => {
    const { row_id: id = null, dataset_info: info } = row.input_metadata ?? {};
    const key = JSON.stringify([id ?? index, info?.["environment_context"]]);
    return Array.from({ length: repetitions }, (_, repetition) => {
      const occurrence = seen.get(key) ?? 0;
      seen.set(key, occurrence + 1);
      return { row, index, repetition, occurrence };
    });
  });
}
