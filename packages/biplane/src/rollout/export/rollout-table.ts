import { messagesForModel } from "../message.ts";
import { annotationColumns } from "./lines.ts";
import { scoreFailure } from "../score/scorer.ts";
import type { ScoredTrace } from "../score/scorer.ts";
import { endingKey } from "../../store/runs/rollout-facts.ts";

/** The columns of a table with a row per rollout, as experiment trackers and data frames take it. */
const columns: Readonly<Record<string, Column>> = {
  run: column("STRING", ({ trace }) => trace.run),
  row: column("STRING", ({ trace }) => trace.rowId),
  index: column("INT32", ({ trace }) => trace.index),
  repetition: column("INT32", ({ trace }) => trace.repetition),
  seed: column("STRING", ({ trace }) => trace.seed, { nullable: true }),
  agent: column("STRING", ({ trace }) => trace.agent),
  model: column("STRING", ({ trace }) => trace.model),
  score: column("DOUBLE", ({ score }) => score.score, { nullable: true }),
  is_score_valid: column("BOOLEAN", ({ score }) => score.score !== null),
  reason: column("STRING", ({ score }) => score.reason ?? null, { nullable: true }),
  reward: column("DOUBLE", ({ trace }) => trace.totalReward, { nullable: true }),
  failure: column("STRING", (scored) => (scoreFailure(scored) ?? scored.trace.failure)?.kind ?? null, {
    nullable: true,
  }),
  masked: column("BOOLEAN", ({ score }) => score.score === null),
  steps: column("INT32", ({ trace }) => trace.steps.length),
  ending: column("STRING", ({ trace }) => endingKey(trace)),
  tokens: column("INT32", ({ trace }) => int32(trace.usage.total_tokens)),
  cost: column("DOUBLE", ({ trace }) => trace.cost ?? null, { nullable: true }),
  duration_ms: column("DOUBLE", ({ trace }) => trace.durationMs),
  started_at: column("STRING", ({ trace }) => trace.startedAt),
  /** What people wrote, as JSON. */
  annotations: column(
    "STRING",
    ({ annotations }) => (annotations ? JSON.stringify(annotations.map(annotationColumns)) : null),
    { nullable: true },
  ),
  /** The conversation as JSON. */
  messages: column("STRING", ({ trace }) => JSON.stringify(messagesForModel(trace.messages))),
};

interface Column {
  readonly type: "STRING" | "INT32" | "DOUBLE" | "BOOLEAN";
  readonly nullable: boolean;
  readonly of: (scored: ScoredTrace) => string | number | boolean | null;
}

function column(type: Column["type"], of: Column["of"], { nullable = false } = {}): Column {
  return { type, of, nullable };
}

/** Model servers report tokens, and the writer refuses the whole file for one number that does not fit. */
function int32(value: number): number {
  return Math.max(0, Math.min(2 ** 31 - 1, Math.trunc(value) || 0));
}

/** Comma-separated values with a header (RFC 4180). Cells that a spreadsheet would take for a formula get a quote. */
export function rolloutCsv(scored: readonly ScoredTrace[]): string {
  const rows = scored.map((each) => Object.values(columns).map(({ of }) => of(each)));
  return [Object.keys(columns), ...rows].map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("");
}

function csvCell(value: string | number | boolean | null): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The table as records, without the conversations. */
export function rolloutRecords(scored: readonly ScoredTrace[]): Readonly<Record<string, unknown>>[] {
  const short = Object.entries(columns).filter(([name]) => name !== "messages");
  return scored.map((each) => Object.fromEntries(short.map(([name, { of }]) => [name, of(each)])));
}

/** A Parquet file with one row per rollout. */
export async function rolloutParquet(scored: readonly ScoredTrace[]): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  const columnData = Object.entries(columns).map(([name, { type, nullable, of }]) => ({
    name,
    data: scored.map(of),
    type,
    nullable,
  }));
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}
