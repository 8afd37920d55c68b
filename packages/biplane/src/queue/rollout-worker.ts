import { setTimeout as pause } from "node:timers/promises";
import { messageOf } from "@biplane/core/internal";
import type { ProcessLoad } from "../fleet/processes.ts";
import { recordRollouts } from "../store/runs/record-rollouts.ts";
import { figuresOf } from "../store/runs/run-figures.ts";
import { getRun, queuedRuns } from "../store/runs/run.ts";
import type { StoredRun } from "../store/runs/run.ts";
import type { SqlStore } from "../store/sql-store.ts";
import { lostRollout } from "./lost-rollout.ts";
import { removeRollouts } from "./queue-tables.ts";
import type { RolloutQueue, TakenRollout } from "./rollout-queue.ts";
import { RunPlayer } from "./run-player.ts";
import type { OpenedRun } from "./run-player.ts";

export interface RolloutWorkerOptions {
  readonly store: SqlStore;
  readonly queue: RolloutQueue;
  /** Names this worker and its process for people. */
  readonly name: string;
  /** Rollouts to play at once. */
  readonly concurrency: number;
  /** Opens the environment and the agent of a run. Throws if this worker cannot play it. */
  readonly open: (run: StoredRun) => Promise<OpenedRun>;
  /** Starts the runs of due schedules. */
  readonly startDue?: () => Promise<void>;
  /** Called with what a person should know. */
  readonly log: (message: string) => void;
  /** Called every two seconds while the worker lives, so that the fleet can be seen. */
  readonly announce?: (load: ProcessLoad) => Promise<void>;
}

/** Takes rollouts from the queue and plays them until it is stopped. */
export class RolloutWorker {
  readonly #options: RolloutWorkerOptions;
  readonly #playing = new Map<string, { readonly rollout: TakenRollout; readonly done: Promise<void> }>();
  readonly #players = new Map<string, Promise<RunPlayer>>();
  /** Runs that this worker cannot play, and when to try again. */
  readonly #refused = new Map<string, number>();
  /** A rollout that waits until it can be played alone. */
  #isolated: TakenRollout | undefined;
  /** The job of the last rollout that was played alone. */
  #alone = "";
  #starting: Promise<void> | undefined;
  #runs: readonly StoredRun[] = [];
  #readAt = -Infinity;
  #recorded = 0;
  /** What went wrong last, until something went well. */
  #fault: string | undefined;
  #isStopping = false;
  readonly #grace = signalOnce();
  #wake: () => void = () => undefined;

  constructor(options: RolloutWorkerOptions) {
    this.#options = options;
  }

  /** Plays until `stop` is called. Faults of the database are logged, and it goes on when the database is back. */
  async run(): Promise<void> {
    await this.#beat();
    const heartbeat = setInterval(() => void this.#beat(), heartbeatMs);
    try {
      while (!this.#isStopping) {
        const freed = new Promise<void>((resolve) => (this.#wake = resolve));
        await this.#step().then(this.#isWell, this.#note);
        await soonest(freed, pollMs);
      }
      await Promise.race([this.#ends(), this.#grace.promise]);
      await this.#giveBackRest();
    } finally {
      clearInterval(heartbeat);
    }
  }

  /** Takes no more rollouts, lets those that are being played end for a while, and puts the others back. */
  stop(graceMs: number): void {
    this.#isStopping = true;
    this.#wake();
    setTimeout(this.#grace.end, graceMs).unref();
  }

  /** Takes what there is room for. */
  async #step(): Promise<void> {
    const { queue, concurrency, name: player } = this.#options;
    if (performance.now() - this.#readAt >= pollMs) await this.#look();
    if (this.#isolated && this.#playing.size === 0) await this.#playIsolated(this.#isolated);
    const isAlone = this.#isolated !== undefined || this.#playing.has(this.#alone);
    const limit = concurrency - this.#playing.size;
    if (isAlone || limit <= 0 || this.#runs.length === 0 || this.#isStopping) return;
    for (const rollout of await queue.take({ limit, player, runs: this.#runs, except: [...this.#refused.keys()] }))
      this.#start(rollout);
  }

  /** Looks for what changes less often than rollouts end. */
  async #look(): Promise<void> {
    const { queue, name: player, startDue } = this.#options;
    await this.#readRuns();
    await this.#recordLost();
    this.#starting ??= startDue?.()
      .catch(this.#note)
      .finally(() => (this.#starting = undefined));
    if (this.#runs.length > 0 && !this.#isStopping)
      this.#isolated ??= await queue.takeIsolated({ player, runs: this.#runs, except: [...this.#refused.keys()] });
  }

  /** Until it ends, nothing else is played here, so that it can kill no other rollout. */
  async #playIsolated(rollout: TakenRollout): Promise<void> {
    const { queue, name } = this.#options;
    const begun = await queue.begin(rollout, name);
    this.#isolated = undefined;
    this.#alone = rollout.job;
    this.#start(begun);
  }

  async #readRuns(): Promise<void> {
    this.#runs = await queuedRuns(this.#options.store);
    this.#readAt = performance.now();
    const active = new Set(this.#runs.map(({ id }) => id));
    for (const [run, retryAt] of this.#refused)
      if (!active.has(run) || performance.now() >= retryAt) this.#refused.delete(run);
    for (const [run, player] of this.#players) if (!active.has(run)) void this.#drop(run, player);
  }

  /** Forgets a run that is over: it ended, was cancelled or was deleted. */
  async #drop(run: string, opening: Promise<RunPlayer>): Promise<void> {
    this.#players.delete(run);
    const { store } = this.#options;
    try {
      const player = await opening;
      player.abort();
      const left = [...this.#playing.values()].filter(({ rollout }) => rollout.run === run);
      await Promise.all(left.map(({ done }) => done));
      await player.close();
      const over = await getRun(store, run);
      if (over) await figuresOf(store, over); // they take long for a large run, and are wanted soon
    } catch (error) {
      this.#note(error);
    }
  }

  #start(rollout: TakenRollout): void {
    const done = this.#play(rollout)
      .catch(this.#note)
      .finally(() => {
        this.#playing.delete(rollout.job);
        this.#wake();
      });
    this.#playing.set(rollout.job, { rollout, done });
  }

  async #play(rollout: TakenRollout): Promise<void> {
    const { queue, store, name, log } = this.#options;
    const run = this.#runs.find(({ id }) => id === rollout.run) ?? (await getRun(store, rollout.run));
    if (run?.status !== "running") {
      await removeRollouts(store.db, [rollout.job]);
      return;
    }
    let player: RunPlayer;
    try {
      player = await this.#playerOf(run);
    } catch (error) {
      if (!this.#refused.has(run.id)) log(`Cannot play the run ${run.id}: ${messageOf(error)}`);
      this.#refused.set(run.id, performance.now() + refusalMs);
      this.#players.delete(run.id);
      await queue.giveBack([rollout], name);
      return;
    }
    const isRecorded = await player.play(rollout);
    if (isRecorded) this.#recorded++;
    else await queue.giveBack([rollout], name);
  }

  #playerOf(run: StoredRun): Promise<RunPlayer> {
    const known = this.#players.get(run.id);
    if (known) return known;
    const { open, store } = this.#options;
    const opening = open(run).then((opened) => new RunPlayer(run, opened, store));
    this.#players.set(run.id, opening);
    return opening;
  }

  /** Records the rollouts that nobody could play, so that their runs can end. */
  async #recordLost(): Promise<void> {
    const { store, queue } = this.#options;
    await store.db.transaction().execute(async (transaction) => {
      for (const rollout of await queue.takeLost(transaction)) {
        const run = await getRun({ db: transaction }, rollout.run);
        if (run) await recordRollouts(transaction, run.id, [lostRollout(run, rollout)]);
      }
    });
  }

  async #beat(): Promise<void> {
    const { queue, announce, concurrency } = this.#options;
    try {
      await queue.touch([...this.#playing.keys(), ...(this.#isolated ? [this.#isolated.job] : [])]);
      const memoryMb = Math.round(process.memoryUsage().rss / 2 ** 20);
      await announce?.({ episodes: this.#playing.size, concurrency, recorded: this.#recorded, memoryMb });
    } catch (error) {
      this.#note(error);
    }
  }

  /** An outage of the database is logged once. */
  readonly #note = (error: unknown): void => {
    const fault = messageOf(error);
    if (fault !== this.#fault) this.#options.log(fault);
    this.#fault = fault;
  };

  readonly #isWell = (): void => {
    this.#fault = undefined;
  };

  async #ends(): Promise<void> {
    await Promise.all([this.#starting, ...Array.from(this.#playing.values(), ({ done }) => done)]);
  }

  /** Aborts what is still played. It goes back even if the environment does not let go of it. */
  async #giveBackRest(): Promise<void> {
    const { queue, name } = this.#options;
    const opened = await Promise.allSettled(this.#players.values());
    const players = opened.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    for (const player of players) player.abort();
    await soonest(this.#ends(), abortMs);
    const rest = Array.from(this.#playing.values(), ({ rollout }) => rollout);
    await queue.giveBack(this.#isolated ? [...rest, this.#isolated] : rest, name);
    await soonest(Promise.allSettled(players.map((player) => player.close())), abortMs);
  }
}

/** A promise that is resolved from outside. */
function signalOnce(): { readonly promise: Promise<void>; readonly end: () => void } {
  let end: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => (end = resolve));
  return { promise, end };
}

async function soonest(event: Promise<unknown>, ms: number): Promise<void> {
  const timer = new AbortController();
  const late = pause(ms, undefined, { signal: timer.signal }).catch(() => undefined);
  await Promise.race([event, late]);
  timer.abort();
}

const pollMs = 500;
const heartbeatMs = 2000;
/** A run that cannot be played is tried again, because what is missing may come. */
const refusalMs = 30_000;
const abortMs = 5000;
