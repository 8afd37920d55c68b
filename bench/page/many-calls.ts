import { sql } from "kysely";
import type { SqlStore } from "biplane/store";
import { LatencyHistogram } from "../../packages/biplane/src/admin/calls/latency-histogram.ts";
import { saveStatistics, statisticsSpans } from "../../packages/biplane/src/store/call-statistics.ts";
import type { CallStatisticsRow } from "../../packages/biplane/src/store/tables.ts";

/** Writes synthetic calls of the last 30 days by a few statements, and the statistics that their server would have kept. */
export async function writeManyCalls(store: SqlStore, count: number): Promise<void> {
  const until = Date.now() - 60_000;
  for (let from = 0; from < count; from += chunk)
    await insertCalls(store, {
      from,
      to: Math.min(from + chunk, count),
      at: (n) => `${until} - (${count} - ${n}) * ${days30} / ${count}`,
    });
  await sql.raw("analyze").execute(store.db);
  await writeStatistics(store, until);
}

interface CallRange {
  readonly from: number;
  readonly to: number;
  /** The SQL of a call's time. */
  readonly at: (number: string) => string;
}

async function insertCalls(store: SqlStore, { from, to, at }: CallRange): Promise<void> {
  const detail = JSON.stringify({ input: { a: 1, b: 2 }, result: { sum: 3 }, timeline: [], step: null });
  await sql
    .raw(
      `with recursive numbers (n) as (select ${from} union all select n + 1 from numbers where n + 1 < ${to}),
    facts as (select n, ${at("n")} as at from numbers)
    insert into calls (id, at, server, tool, route, agent_id, model, request_id, principal_kind, principal_id, session,
      episode, outcome, is_failed, message, duration_ms, waited_ms, preview, detail)
    select ${base36("at", 9)} || '-00000000-' || ${base36("n", 7)}, at, 'sums', 'tool_' || (n * 7919) % ${tools}, 'mcp',
      'agent-' || (n * 104729) % ${agents}, null, 'r' || n, 'token', 'agent-' || (n * 104729) % ${agents}, null, null,
      case when n % 50 = 0 then 'EXECUTION_ERROR' else 'done' end, n % 50 = 0, case when n % 50 = 0 then 'failed' end,
      1 + (n * 31) % 4000 / 10.0, 0, '{"a":1,"b":2}', '${detail}'
    from facts`,
    )
    .execute(store.db);
}

/** Digits of a number in SQL, most significant first. */
function base36(value: string, length: number): string {
  const digit = (at: number) => `substr('0123456789abcdefghijklmnopqrstuvwxyz', 1 + (${value} / ${36 ** at}) % 36, 1)`;
  return Array.from({ length }, (_, at) => digit(length - 1 - at)).join(" || ");
}

async function writeStatistics(store: SqlStore, until: number): Promise<void> {
  const ranges = [
    [statisticsSpans.minute, days30 / 30],
    [statisticsSpans.tenMinutes, days30 / 10],
    [statisticsSpans.hour, days30],
  ] as const;
  const all = { kind: "all", server: "", name: "" } as const;
  const names = [
    all,
    ...numbers(tools).map((n) => ({ kind: "tool", server: "sums", name: `tool_${n}` }) as const),
    ...numbers(agents).map((n) => ({ kind: "agent", server: "", name: `agent-${n}` }) as const),
  ];
  for (const [span, kept] of ranges)
    for (let start = Math.floor((until - kept) / span) * span; start < until; start += span)
      await saveStatistics(
        store,
        names.map((name) => ({ ...name, ...figuresOf(start), span, start, source: "bench" })),
      );
}

/** A hundred calls or so, of 1 to 400 ms. */
function figuresOf(
  start: number,
): Pick<CallStatisticsRow, "calls" | "failed" | "refused" | "asked" | "invalid" | "waited" | "run_ms" | "wait_ms"> {
  const calls = 50 + ((start / 60_000) % 100);
  const run = new LatencyHistogram();
  for (const n of numbers(calls)) run.add(1 + ((n * 31) % 400));
  const counts = { calls, failed: Math.round(calls / 50), refused: 0, asked: 0, invalid: 0, waited: 0 };
  return { ...counts, run_ms: run.stored(), wait_ms: "[]" };
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}

const days30 = 30 * 86_400_000;
const tools = 50;
const agents = 20;
/** The database answers others between statements. */
const chunk = 100_000;
