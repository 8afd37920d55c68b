import { setImmediate as nextTurn } from "node:timers/promises";
import { failureKinds } from "@biplane/core";
import { SummaryBuilder, shownEstimate } from "../../rollout/score/summary.ts";
import type { Summary } from "../../rollout/score/summary.ts";
import { insertRows } from "../change-rows.ts";
import type { SqlStore } from "../sql-store.ts";
import type { RunFiguresRow } from "../tables.ts";
import { rewardOf } from "./rollout-facts.ts";
import { rolloutsOf } from "./rollouts.ts";
import { isActive } from "./run.ts";
import type { StoredRun } from "./run.ts";

/** Statistics of a run's rewards and endings. */
export interface RunFigures {
  readonly summary: Summary;
  readonly curve: readonly CurvePoint[];
  readonly distribution: readonly Bin[];
}

/** One point of the reward curve: rollouts so far, mean of this point's rollouts, and running mean. */
export interface CurvePoint {
  readonly rollouts: number;
  readonly reward: number;
  readonly running: number;
}

/** One bin of the reward histogram. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/**
 * The figures of a run. Those of a large run take seconds, so they are stored, and while the run is played they may be
 * some seconds old.
 */
export async function figuresOf(store: SqlStore, run: StoredRun): Promise<RunFigures> {
  const stored = await store.db.selectFrom("run_figures").selectAll().where("run", "=", run.id).executeTakeFirst();
  if (stored && isCurrent(stored, run)) return JSON.parse(stored.figures) as RunFigures;
  const running = computing.get(store) ?? new Map<string, Promise<RunFigures>>();
  computing.set(store, running);
  const known = running.get(run.id);
  if (known) return known;
  const figures = computeAndStore(store, run).finally(() => running.delete(run.id));
  running.set(run.id, figures);
  return figures;
}

/** The figures that are being computed, by run: those who ask meanwhile wait for the same. */
const computing = new WeakMap<SqlStore, Map<string, Promise<RunFigures>>>();

async function computeAndStore(store: SqlStore, run: StoredRun): Promise<RunFigures> {
  const startedAt = performance.now();
  const figures = await computeFigures(store, run);
  const totals = totalsOf(figures.summary);
  const row = {
    run: run.id,
    ended: run.ended,
    computed_at: Date.now(),
    took_ms: performance.now() - startedAt,
    pass: run.pass ?? null,
    mean: totals.mean,
    standard_error: totals.standardError,
    pass_rate: totals.passRate,
    masked: totals.masked,
    tokens: totals.tokens,
    cost: totals.cost,
    figures: JSON.stringify(figures),
  };
  await insertRows(store.db, "run_figures", { rows: [row], ifKnown: "replace" });
  return figures;
}

/** True if stored figures cover the run, or if it is played and they are not old for what they take. */
export function isCurrent(
  stored: Pick<RunFiguresRow, "ended" | "pass" | "computed_at" | "took_ms">,
  run: StoredRun,
): boolean {
  if (stored.pass !== (run.pass ?? null)) return false;
  return stored.ended === run.ended || (isActive(run) && Date.now() - stored.computed_at < stored.took_ms * 10);
}

/** The figures that a list of runs shows. */
export interface RunTotals {
  /** The mean reward over rows. */
  readonly mean: number | null;
  /** Null for fewer than two rows. */
  readonly standardError: number | null;
  /** pass@1 */
  readonly passRate: number | null;
  readonly masked: number;
  readonly tokens: number;
  readonly cost: number | null;
}

export function totalsOf(summary: Summary): RunTotals {
  const { rows, passAt, masked, tokens, cost } = summary;
  const { mean, standardError } = shownEstimate(summary, rows);
  return {
    mean,
    standardError,
    passRate: passAt[1] ?? null,
    masked,
    tokens,
    cost: cost ?? null,
  };
}

/** Reads the run in pages, and yields to the event loop between them. */
async function computeFigures({ db }: SqlStore, run: StoredRun): Promise<RunFigures> {
  const summary = new SummaryBuilder({ pass: run.pass });
  let read = 0;
  for await (const row of rolloutsOf(db, run.id)) {
    if (++read % 1000 === 0) await nextTurn();
    if (row.ended_at === null) continue;
    summary.add({
      index: row.row_index,
      score: rewardOf(row),
      masked: failureKinds.find((kind) => row.ending === `error: ${kind}`),
      isValid: true,
      reason: row.ending,
      steps: row.steps,
      controlFailures: row.control_failures,
      tokens: row.tokens,
      cost: row.cost ?? undefined,
    });
  }
  const rewards = await rewardsInOrder({ db }, run.id);
  return { summary: summary.result(), curve: curveOf(rewards), distribution: distributionOf(rewards) };
}

/** The rewards in the order in which the rollouts ended, without masked ones. */
async function rewardsInOrder({ db }: Pick<SqlStore, "db">, run: string): Promise<number[]> {
  const rewards: number[] = [];
  for (let last: { ended_at: number | null; row_index: number; repetition: number } | undefined; ;) {
    let query = db
      .selectFrom("rollouts")
      .select(["ended_at", "row_index", "repetition", "reward"])
      .where("run", "=", run)
      .where("ended_at", "is not", null)
      .where("masked", "=", 0)
      .orderBy("ended_at")
      .orderBy("row_index")
      .orderBy("repetition")
      .limit(pageSize);
    if (last) {
      const { ended_at, row_index, repetition } = last;
      query = query.where((eb) =>
        eb(eb.refTuple("ended_at", "row_index", "repetition"), ">", eb.tuple(ended_at, row_index, repetition)),
      );
    }
    const page = await query.execute();
    for (const { reward } of page) rewards.push(reward);
    last = page.at(-1);
    if (page.length < pageSize) return rewards;
    await nextTurn();
  }
}

const pageSize = 5000;

/** The reward curve, with at most 200 points. */
export function curveOf(rewards: readonly number[]): CurvePoint[] {
  const points = Math.min(rewards.length, maxPoints);
  let sum = 0;
  return Array.from({ length: points }, (_, point) => {
    const from = Math.floor((point * rewards.length) / points);
    const to = Math.floor(((point + 1) * rewards.length) / points);
    let part = 0;
    for (let at = from; at < to; at++) part += rewards[at] ?? 0;
    sum += part;
    return { rollouts: to, reward: part / (to - from), running: sum / to };
  });
}

/** The reward histogram: a bin per value if there are at most 12, else about 20 bins with round limits. */
export function distributionOf(rewards: readonly number[]): Bin[] {
  const counts = new Map<number, number>();
  for (const reward of rewards) {
    if (counts.size > maxValues) break;
    counts.set(reward, (counts.get(reward) ?? 0) + 1);
  }
  if (counts.size <= maxValues) {
    const values = Array.from(counts.keys()).sort((one, other) => one - other);
    return values.map((value) => ({ from: value, to: value, count: counts.get(value) ?? 0 }));
  }
  let [low, high] = [Infinity, -Infinity];
  for (const reward of rewards) {
    low = Math.min(low, reward);
    high = Math.max(high, reward);
  }
  const width = roundWidth(high / maxBins - low / maxBins);
  if (!(width > 0 && Number.isFinite(width))) return [{ from: low, to: high, count: rewards.length }];
  const first = Math.floor(low / width);
  const bins = Array.from({ length: Math.floor(high / width) - first + 1 }, () => 0);
  for (const reward of rewards) {
    const bin = Math.min(Math.floor(reward / width) - first, bins.length - 1);
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return bins.map((count, at) => ({ from: tidy((first + at) * width), to: tidy((first + at + 1) * width), count }));
}

const maxPoints = 200;
const maxValues = 12;
const maxBins = 20;

/** Rounds up to 1, 2 or 5 times a power of ten. */
function roundWidth(min: number): number {
  const power = 10 ** Math.floor(Math.log10(min));
  return power * ([1, 2, 5].find((factor) => factor * power >= min) ?? 10);
}

/** Removes floating-point noise. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}
