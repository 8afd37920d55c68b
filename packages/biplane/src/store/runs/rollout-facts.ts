import { isRecord } from "@biplane/core/internal";
import type { Trace, TraceBegin, TraceEvent, TraceStep } from "../../rollout/trace.ts";
import { storable } from "../storable.ts";
import type { RolloutRow } from "../tables.ts";

/** Follows the events of a run, and keeps the rows of the rollouts that are being played. */
export class RolloutTracker {
  readonly #run: string;
  readonly #open = new Map<string, { row: RolloutRow; events: number }>();

  constructor(run: string) {
    this.#run = run;
  }

  /** The row after this event, and the event's number in the rollout. Undefined if the rollout never began. */
  add(event: TraceEvent): { readonly row: RolloutRow; readonly sequence: number } | undefined {
    if (event.type === "begin") {
      const { events = 0 } = this.#open.get(event.rollout) ?? {}; // of an attempt that failed
      this.#open.set(event.rollout, { row: { ...newRow(event), run: this.#run }, events });
    }
    const open = this.#open.get(event.rollout);
    if (!open) return undefined;
    if (event.type === "end") this.#open.delete(event.rollout);
    open.row = afterEvent(open.row, event);
    return { row: open.row, sequence: ++open.events };
  }
}

/** The ending by which rollouts are counted, such as `max_steps` or `error: model`. A masked one has an error. */
export function endingKey({ ending, failure }: Pick<Trace, "failure"> & { readonly ending: StoredEnding }): string {
  const { reason = "error", kind } = ending;
  if (failure?.masked) return `error: ${failure.kind}`;
  return kind === undefined ? reason : `${reason}: ${kind}`;
}

/** An ending as it is stored: a store may be damaged. */
type StoredEnding = Partial<Pick<Trace["ending"], "reason" | "kind">>;

/** The reward of a rollout; null if it is masked. */
export function rewardOf({ reward, masked }: Pick<RolloutRow, "reward" | "masked">): number | null {
  return masked === 1 ? null : reward;
}

/** The columns of a rollout's reward. Masked rollouts come before all others in the order of rewards. */
export function rewardColumns(reward: number | null): Pick<RolloutRow, "reward" | "masked"> {
  return reward === null ? { reward: maskedReward, masked: 1 } : { reward: finite(reward), masked: 0 };
}

export const maskedReward = -Number.MAX_VALUE;

/** The ending of rollouts that a resumed run plays again. */
export const cancelled = "error: cancelled";

/** Identifies a job by row index and repetition. */
export function jobKey({ index, repetition }: { index: number; repetition: number }): string {
  return `${index}/${repetition}`;
}

function afterEvent(row: RolloutRow, event: TraceEvent): RolloutRow {
  if (event.type === "begin" || event.type === "retry") return row;
  if (event.type === "step")
    return {
      ...row,
      steps: row.steps + 1,
      reward: row.reward + finite(event.reward),
      tokens: row.tokens + finite(event.usage?.total_tokens),
      control_failures: row.control_failures + event.faults.length,
      parts: withParts(row.parts, event.parts),
    };
  const { ending, failure, totalReward, usage, cost, durationMs, controlFailures } = event;
  const message = failure?.message ?? ending.message;
  return {
    ...row,
    ...endingColumns(endingKey(event)),
    ...rewardColumns(totalReward),
    ended_at: row.started_at + Math.round(finite(durationMs)),
    duration_ms: Math.round(finite(durationMs) * 1000) / 1000,
    message: message === undefined ? null : cut(message, maxMessageLength),
    control_failures: finite(controlFailures),
    tokens: finite(usage?.total_tokens),
    cost: typeof cost === "number" ? finite(cost) : null,
  };
}

/** Names come from rows and servers and may be very long, so they are cut. */
function newRow(begin: TraceBegin): Omit<RolloutRow, "run"> {
  const rowId = cut(begin.rowId, maxNameLength);
  return {
    row_index: finite(begin.index),
    repetition: finite(begin.repetition),
    rollout: begin.rollout,
    row_id: rowId,
    row_search: rowId.toLowerCase(),
    seed: begin.seed === null ? null : cut(begin.seed, maxNameLength),
    agent: cut(begin.agent, maxNameLength),
    model: cut(begin.model, maxNameLength),
    started_at: Date.parse(begin.startedAt) || 0,
    ended_at: null,
    duration_ms: 0,
    steps: 0,
    ...rewardColumns(0),
    ...endingColumns(""),
    message: null,
    control_failures: begin.faults.length,
    tokens: 0,
    cost: null,
    parts: null,
  };
}

/** Adds the parts of a step's reward. Environments name them, so their number and length are limited. */
function withParts(known: string | null, parts: TraceStep["parts"]): string | null {
  if (!isRecord(parts)) return known;
  const sums = new Map(Object.entries(known === null ? {} : (JSON.parse(known) as Record<string, number>)));
  for (const [name, value] of Object.entries(parts)) {
    const short = cut(name, maxPartNameLength);
    if (sums.has(short) || sums.size < maxParts) sums.set(short, (sums.get(short) ?? 0) + finite(value));
  }
  return JSON.stringify(Object.fromEntries(sums));
}

const maxParts = 24;
const maxPartNameLength = 80;

export function endingColumns(ending: string): Pick<RolloutRow, "ending" | "ending_group"> {
  const known = cut(ending, maxNameLength);
  return { ending: known, ending_group: known.split(":")[0] ?? "" };
}

const maxNameLength = 200;
const maxMessageLength = 1000;

function cut(text: unknown, maxLength: number): string {
  if (typeof text !== "string") return "";
  return storable(text.length > maxLength ? `${text.slice(0, maxLength)}…` : text);
}

function finite(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
