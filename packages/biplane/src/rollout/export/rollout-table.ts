import { messagesForModel } from "../message.ts";
import type { ScoredTrace } from "../score/scorer.ts";
import { endingKey } from "../../store/runs/rollout-facts.ts";

/** One rollout as a flat row, as experiment trackers and data frames take it. */
export interface RolloutRecord {
  readonly run: string;
  readonly row: string;
  readonly index: number;
  readonly repetition: number;
  readonly seed: string | null;
  readonly agent: string;
  readonly model: string;
  readonly score: number;
  readonly is_score_valid: boolean;
  readonly reason: string | null;
  readonly reward: number;
  readonly steps: number;
  readonly ending: string;
  readonly tokens: number;
  readonly cost: number | null;
  readonly duration_ms: number;
  readonly started_at: string;
  /** The conversation as JSON. */
  readonly messages: string;
}

export function rolloutRecord({ trace, score }: ScoredTrace): RolloutRecord {
  return {
    run: trace.run,
    row: trace.rowId,
    index: trace.index,
    repetition: trace.repetition,
    seed: trace.seed,
    agent: trace.agent,
    model: trace.model,
    score: score.score,
    is_score_valid: score.isValid !== false,
    reason: score.reason ?? null,
    reward: trace.totalReward,
    steps: trace.steps.length,
    ending: endingKey(trace.ending),
    tokens: int32(trace.usage.total_tokens),
    cost: trace.cost ?? null,
    duration_ms: trace.durationMs,
    started_at: trace.startedAt,
    messages: JSON.stringify(messagesForModel(trace.messages)),
  };
}

/** Model servers report tokens, and the writer refuses the whole file for one number that does not fit. */
function int32(value: number): number {
  return Math.max(0, Math.min(2 ** 31 - 1, Math.trunc(value) || 0));
}

/** Comma-separated values with a header (RFC 4180). Cells that a spreadsheet would take for a formula get a quote. */
export function rolloutCsv(records: readonly RolloutRecord[]): string {
  const columns = Object.keys(rolloutTypes) as (keyof RolloutRecord)[];
  const lines = [columns, ...records.map((record) => columns.map((column) => record[column]))];
  return lines.map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("");
}

function csvCell(value: string | number | boolean | null): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A Parquet file with one row per rollout. */
export async function rolloutParquet(records: readonly RolloutRecord[]): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  const columns = (Object.keys(rolloutTypes) as (keyof RolloutRecord)[]).map((name) => ({
    name,
    data: records.map((record) => record[name]),
    type: rolloutTypes[name],
    nullable: name === "seed" || name === "reason" || name === "cost",
  }));
  return new Uint8Array(parquetWriteBuffer({ columnData: columns }));
}

const rolloutTypes = {
  run: "STRING",
  row: "STRING",
  index: "INT32",
  repetition: "INT32",
  seed: "STRING",
  agent: "STRING",
  model: "STRING",
  score: "DOUBLE",
  is_score_valid: "BOOLEAN",
  reason: "STRING",
  reward: "DOUBLE",
  steps: "INT32",
  ending: "STRING",
  tokens: "INT32",
  cost: "DOUBLE",
  duration_ms: "DOUBLE",
  started_at: "STRING",
  messages: "STRING",
} as const satisfies Record<keyof RolloutRecord, string>;
