import { setMaxListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { BiplaneError } from "../errors.ts";
import { ownName } from "../client/client-info.ts";
import type { Store } from "../store/store.ts";
import type { Agent } from "./agent/agent.ts";
import type { Envs } from "./make.ts";
import { playRow } from "./play.ts";
import type { Job, PlayOptions } from "./play.ts";
import { openRecorder } from "./recorder.ts";
import { playedRow } from "./played-row.ts";
import type { PlayedRow } from "./played-row.ts";
import { Pool } from "./pool.ts";
import type { RowSetup } from "./row.ts";
import { finishedJobs, findRun, newRunId, saveRun } from "./run.ts";
import type { Run } from "./run.ts";
import type { TextStyle } from "./template.ts";
import { jobKey } from "./trace-summary.ts";
import { TraceWriter } from "./trace-writer.ts";
import type { SimulatedUser } from "./user.ts";

export interface RolloutOptions {
  readonly agent: Agent;
  /** The most steps of one rollout: 512. A call is a step, and so is a turn of a conversation. */
  readonly steps?: number;
  /** How many are played at once: 8. */
  readonly concurrency?: number;
  /** How often each row is played: once. */
  readonly repetitions?: number;
  /** The repetitions of a row begin from one forked episode; for environments of this process. */
  readonly fork?: boolean;
  /** How observations appear in prompts and messages: as JSON, or as Eval Protocol's Python prints them. */
  readonly style?: TextStyle;
  /** Who talks to the agent in conversational rows. */
  readonly user?: (setup: RowSetup) => SimulatedUser | undefined;
  /** Where runs and traces are kept. */
  readonly store?: Store;
  /** The run's name; one is made unless given. */
  readonly run?: string;
  /** Goes on with the run of that name: what was played to its end is not played again. Needs `store`. */
  readonly resume?: boolean;
  /** What else to remember with the run. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** A JSONL file for traces, beside the store or instead of it. */
  readonly traceFile?: string;
  /** Eval Protocol's recording: written where the file is not there yet. `EP_PLAYBACK_FILE` unless given. */
  readonly playbackFile?: string;
  /** Writes a recording whatever is there already. */
  readonly record?: string;
  /** A line for every rollout that the environment ended, as Eval Protocol writes it. */
  readonly openaiFormatLogFile?: string;
  readonly signal?: AbortSignal;
  readonly onRun?: (run: Run, jobs: number) => void;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly sleep?: PlayOptions["sleep"];
  readonly random?: () => number;
  readonly now?: () => number;
}

/**
 * Plays every row and gives each back when it is done, in that order. A rollout that fails is a row with an error;
 * only what makes the whole run impossible is thrown. Whoever stops listening cancels what is under way.
 */
export async function* rollout(envs: Envs, options: RolloutOptions): AsyncGenerator<PlayedRow, void, undefined> {
  const run = await openRun(envs, options);
  const { store, repetitions = 1, concurrency = 8, resume } = options;
  const finished = resume && store ? await finishedJobs(store, run.id) : new Set<string>();
  const jobs = jobsOf(envs, repetitions).filter((job) => !finished.has(jobKey(job)));
  options.onRun?.(run, jobs.length);
  const recorder = await openRecorder(options, jobs.length);
  const writer = new TraceWriter({ store, file: options.traceFile, run: run.id });
  const stopping = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stopping.signal]) : stopping.signal;
  setMaxListeners(0, signal); // thousands listen, and each goes when it is done
  const play: PlayOptions = {
    doors: envs.doors,
    agent: recorder.agent,
    run: run.id,
    modelId: run.model,
    steps: options.steps ?? 512,
    style: options.style ?? "json",
    fork: options.fork ?? false,
    user: options.user,
    signal,
    onEvent: (event) => writer.write(event),
    sleep: options.sleep ?? ((ms, stop) => pause(ms, undefined, { signal: stop })),
    random: options.random ?? Math.random,
    now: options.now ?? (() => performance.now()),
  };
  const pool = new Pool(jobs, concurrency, async (job) => {
    if (signal.aborted) return undefined;
    const trace = await playRow(job, { ...play, onEvent: (event) => (writer.write(event), recorder.hear(event, job)) });
    await Promise.all([writer.flush(), recorder.flush()]);
    return playedRow(trace);
  });
  let isWhole = false;
  try {
    for await (const row of pool) if (row) yield row;
    isWhole = !signal.aborted;
  } finally {
    stopping.abort(new BiplaneError("CANCELLED", "The run was stopped"));
    await pool.end();
    await Promise.all([writer.close(), recorder.flush()]);
    const status = isWhole ? "finished" : "cancelled";
    if (store) await saveRun(store, { ...run, status, endedAt: new Date().toISOString() });
  }
}

async function openRun(envs: Envs, options: RolloutOptions): Promise<Run> {
  const { store, agent, resume, repetitions = 1 } = options;
  if (resume && (!store || options.run === undefined))
    throw new BiplaneError("INVALID_DEFINITION", "resume needs a store, and the name of the run to go on with");
  const before = resume && store ? await findRun(store, options.run as string) : undefined;
  if (before && (before.rows !== envs.rows.length || before.repetitions !== repetitions)) {
    const was = `${before.rows} rows, ${before.repetitions} times each`;
    throw new BiplaneError("INVALID_INPUT", `The run ${before.id} had ${was}; it can only be resumed with the same`);
  }
  const run: Run = {
    id: options.run ?? newRunId(),
    status: "running",
    startedAt: before?.startedAt ?? new Date().toISOString(),
    endedAt: undefined,
    target: envs.doors.name,
    agent: agent.name,
    model: envs.modelId ?? agent.model,
    rows: envs.rows.length,
    repetitions,
    steps: options.steps ?? 512,
    concurrency: options.concurrency ?? 8,
    version: ownName().version,
    pid: process.pid,
    settings: options.settings ?? before?.settings,
  };
  if (store) await saveRun(store, run);
  return run;
}

function jobsOf({ rows }: Envs, repetitions: number): Job[] {
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
