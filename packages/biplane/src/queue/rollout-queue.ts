import { BiplaneError } from "@biplane/core";
import { CompiledQuery } from "kysely";
import type { Kysely } from "kysely";
import type { Db as QueueDatabase, PgBoss } from "pg-boss";
import { chunks } from "../store/change-rows.ts";
import type { Run } from "../store/runs/run.ts";
import { isPostgres } from "../store/sql-store.ts";
import type { SqlStore } from "../store/sql-store.ts";
import type { Tables } from "../store/tables.ts";
import { loadPgBoss } from "./load-pg-boss.ts";
import { isolateRollouts, notePlayer, queueNames, queueSchema, removeLost, returnRollouts } from "./queue-tables.ts";

/** A rollout in the queue. */
export interface QueuedRollout {
  readonly run: string;
  readonly index: number;
  readonly repetition: number;
  readonly occurrence: number;
  /** The row as a line of JSONL. */
  readonly row: string;
  /** The workers that took it, the latest last. Those before it died. */
  readonly players?: readonly string[];
}

/** A rollout that was taken from the queue. */
export interface TakenRollout extends QueuedRollout {
  readonly job: string;
}

export interface TakeOptions {
  readonly limit: number;
  /** The worker that takes them. */
  readonly player: string;
  /** The runs that are to be played. Of a run that is not here, one rollout at a time is taken. */
  readonly runs: readonly Run[];
  /** Runs that this worker cannot play. */
  readonly except: readonly string[];
}

export interface QueueOptions {
  readonly store: SqlStore;
  /** The URL of the store's database. */
  readonly url: string;
  /** True for workers, which also look for dead ones and for due schedules. */
  readonly isWorker?: boolean;
  readonly onFault?: (fault: unknown) => void;
}

/** Opens the queue in the database of the store, and makes its tables if they are missing. */
export async function openQueue({ store, url, isWorker = false, onFault }: QueueOptions): Promise<RolloutQueue> {
  checkPostgres(url);
  const Boss = await loadPgBoss();
  const boss = new Boss({
    connectionString: url,
    application_name: "biplane queue",
    schema: queueSchema,
    max: 2,
    supervise: isWorker,
    schedule: isWorker,
    superviseIntervalSeconds: 2,
    monitorIntervalSeconds: 2,
  });
  boss.on("error", (error) => onFault?.(error));
  await boss.start();
  await boss.createQueue(queueNames.rollouts);
  await boss.createQueue(queueNames.isolated);
  await boss.createQueue(queueNames.schedules, { expireInSeconds: 600 });
  return new RolloutQueue(boss, store);
}

/** Throws unless a store can have a queue. */
export function checkPostgres(location: string): void {
  if (isPostgres(location)) return;
  throw new BiplaneError(
    "INVALID_INPUT",
    `Queued runs, workers and schedules need a Postgres store that all machines share, not ${location}. Pass --store postgres://user@host/database.`,
    { details: { exitCode: 2 } },
  );
}

/** The rollouts that wait for workers, in the database of the store. */
export class RolloutQueue implements AsyncDisposable {
  readonly boss: PgBoss;
  readonly #store: SqlStore;

  constructor(boss: PgBoss, store: SqlStore) {
    this.boss = boss;
    this.#store = store;
  }

  /** Adds the rollouts of a run, in the transaction that saves the run. */
  async add(
    transaction: Kysely<Tables>,
    rollouts: readonly QueuedRollout[],
    { run, priority }: { readonly run: Run; readonly priority: number },
  ): Promise<void> {
    const group = { id: run.id, tier: tierOf(run) };
    for (const part of chunks(rollouts, 1000)) {
      const jobs = part.map((data) => ({ data, group, priority, ...lifetime }));
      await this.boss.insert(queueNames.rollouts, jobs, { db: queueDatabase(transaction) });
    }
  }

  /**
   * Takes rollouts, those of the highest priority first. Workers take turns, so that a run's limit holds. Rollouts whose
   * workers died twice are left for `takeIsolated`.
   */
  take(options: TakeOptions): Promise<TakenRollout[]> {
    return this.#store.transaction(takeLock, async (transaction) => {
      const found = await this.#fetch(transaction, queueNames.rollouts, options);
      const taken = found.filter(({ players = [] }) => players.length < maxDeaths - 1);
      const others = found.filter((each) => !taken.includes(each));
      if (others.length > 0) await isolateRollouts(transaction, idsOf(others));
      return this.#noted(transaction, taken, options.player);
    });
  }

  /** Takes a rollout that must be played alone. Call `begin` when nothing else is played. */
  async takeIsolated(options: Omit<TakeOptions, "limit">): Promise<TakenRollout | undefined> {
    const [taken] = await this.#store.transaction(takeLock, (transaction) =>
      this.#fetch(transaction, queueNames.isolated, { ...options, limit: 1 }),
    );
    return taken;
  }

  /** Notes that a rollout is played from now on, so that the death of its worker counts. */
  async begin(rollout: TakenRollout, player: string): Promise<TakenRollout> {
    const [begun = rollout] = await this.#noted(this.#store.db, [rollout], player);
    return begun;
  }

  /** Says that the worker is alive that has these rollouts. */
  async touch(jobs: readonly string[]): Promise<void> {
    if (jobs.length === 0) return;
    for (const name of [queueNames.rollouts, queueNames.isolated]) await this.boss.touch(name, [...jobs]);
  }

  /** Puts rollouts back for others. */
  async giveBack(rollouts: readonly TakenRollout[], player: string): Promise<void> {
    if (rollouts.length > 0) await returnRollouts(this.#store.db, rollouts, player);
  }

  /** Takes the rollouts that are set aside because each of their workers died. */
  takeLost(transaction: Kysely<Tables>): Promise<QueuedRollout[]> {
    return removeLost<QueuedRollout>(transaction, maxDeaths);
  }

  async close(): Promise<void> {
    await this.boss.stop({ graceful: false });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #fetch(transaction: Kysely<Tables>, queue: string, options: TakeOptions): Promise<TakenRollout[]> {
    const { limit, runs, except } = options;
    const jobs = await this.boss.fetch<QueuedRollout>(queue, {
      batchSize: limit,
      groupConcurrency: { default: 1, tiers: Object.fromEntries(runs.map((run) => [tierOf(run), run.concurrency])) },
      ignoreGroups: [...except],
      db: queueDatabase(transaction),
    });
    return jobs.map(({ id, data }) => ({ ...data, job: id }));
  }

  async #noted(db: Kysely<Tables>, taken: readonly TakenRollout[], player: string): Promise<TakenRollout[]> {
    if (taken.length > 0) await notePlayer(db, idsOf(taken), player);
    return taken.map((each) => ({ ...each, players: [...(each.players ?? []), player] }));
  }
}

/** Statements of the queue in a transaction of the store. */
function queueDatabase(transaction: Kysely<Tables>): QueueDatabase {
  return {
    async executeSql(text, values = []) {
      const { rows } = await transaction.executeQuery<unknown>(CompiledQuery.raw(text, [...values]));
      return { rows };
    },
  };
}

function idsOf(rollouts: readonly TakenRollout[]): string[] {
  return rollouts.map(({ job }) => job);
}

/** Groups of a tier have the same limit. */
function tierOf({ concurrency }: Run): string {
  return String(concurrency);
}

const takeLock = "biplane queue take";

/** A rollout is set aside when its workers died so often, the last time while they played nothing else. */
const maxDeaths = 3;

const day = 24 * 60 * 60;

/** Ten seconds without a sign of life count as a death. */
const lifetime = {
  heartbeatSeconds: 10,
  retryLimit: maxDeaths - 1,
  expireInSeconds: day,
  retentionSeconds: 365 * day,
};
