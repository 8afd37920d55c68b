import { sql } from "kysely";
import { insertRows } from "./change-rows.ts";
import type { SqlStore } from "./sql-store.ts";
import type { CallRow } from "./tables.ts";

/** Writes calls, all or none. Those that are there already stay as they are. */
export async function insertCalls({ db }: SqlStore, rows: readonly CallRow[]): Promise<void> {
  await db.transaction().execute((transaction) => insertRows(transaction, "calls", { rows, ifKnown: "keep" }));
}

export async function getCall({ db }: SqlStore, id: string): Promise<CallRow | undefined> {
  return db.selectFrom("calls").selectAll().where("id", "=", id).executeTakeFirst();
}

/** The newest calls before an id, with input and result. */
export async function callsBefore({ db }: SqlStore, id: string | undefined, limit: number): Promise<CallRow[]> {
  const newest = db.selectFrom("calls").selectAll().orderBy("id", "desc").limit(limit);
  return (id === undefined ? newest : newest.where("id", "<", id)).execute();
}

/** Ids of calls begin with the time and sort by it. */
export function callIdAt(time: number): string {
  return `${Math.max(0, Math.round(time)).toString(36).padStart(9, "0")}-`;
}

/** The time, the process and a number. */
export function isCallId(id: string): boolean {
  return /^[0-9a-z]{9}-[0-9a-f]{8}-[0-9a-z]{7,10}$/.test(id);
}

/** Which calls to list. Names match by substring in lower case, other fields exactly. */
export interface CallQuery {
  readonly server?: string | undefined;
  readonly route?: string | undefined;
  /** `failed` matches every error. */
  readonly outcome?: string | undefined;
  readonly episode?: string | undefined;
  readonly tool?: string | undefined;
  readonly agent?: string | undefined;
  readonly principal?: string | undefined;
  /** Least run time in milliseconds, without waits. */
  readonly slower?: number | undefined;
  /** Milliseconds since 1970: from this time on, and before that one. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** `next` of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A call without its input and result. */
export type CallInfo = Omit<CallRow, "detail">;

/**
 * One page of calls, newest first. A page reads at most `maxExamined` calls, so a page of a filter that matches few may
 * have less than `limit`. It is the last one only if `next` is null.
 */
export async function listCalls(
  store: SqlStore,
  query: CallQuery,
): Promise<{ calls: CallInfo[]; next: string | null }> {
  const { server, route, outcome, episode, slower, limit } = query;
  const before = rangeOf(query);
  const tools = query.tool ? await toolsLike(store, query.tool) : undefined;
  if (tools?.length === 0) return { calls: [], next: null };
  let select = store.db
    .selectFrom("calls")
    .select(summaryColumns)
    .where(before)
    .orderBy("id", "desc")
    .limit(limit + 1);
  if (server) select = select.where("server", "=", server);
  if (route !== undefined) select = select.where("route", "=", route);
  if (outcome === "failed") select = select.where("is_failed", "=", sql.lit(1));
  else if (outcome !== undefined) select = select.where("outcome", "=", outcome);
  if (episode) select = select.where("episode", "=", episode);
  if (query.agent) select = select.where(contains("agent_id", query.agent));
  if (query.principal) select = select.where(contains("principal_id", query.principal));
  if (tools) select = select.where("tool", "in", tools);
  if (slower !== undefined && slower > 0) select = select.where(sql<boolean>`duration_ms - waited_ms >= ${slower}`);
  const { agent, principal } = query;
  const hasFilter = [server, route, outcome, episode, agent, principal, tools, slower].some(Boolean);
  // An index finds the calls of an episode or of one tool, and failed calls. Others and slow ones may be rare in it.
  const isIndexed = !(slower ?? 0) && (Boolean(episode) || tools?.length === 1 || outcome === "failed");
  const end = !hasFilter || isIndexed ? undefined : await endOfExamined(store, before);
  if (end !== undefined) select = select.where("id", ">=", end);
  const calls = await select.execute();
  if (calls.length <= limit) return { calls, next: end ?? null };
  calls.length = limit;
  return { calls, next: calls.at(-1)?.id ?? null };
}

/** Ids sort by time, so a time range is a range of ids. */
function rangeOf({ after, since, until }: CallQuery): ReturnType<typeof sql<boolean>> {
  const end = [after, until === undefined ? undefined : callIdAt(until)].flatMap((each) => each ?? []).sort()[0];
  const from = since === undefined ? sql<boolean>`true` : sql<boolean>`id >= ${callIdAt(since)}`;
  return end === undefined ? from : sql<boolean>`(id < ${end} and ${from})`;
}

const summaryColumns = [
  "id",
  "at",
  "server",
  "tool",
  "route",
  "agent_id",
  "model",
  "request_id",
  "principal_kind",
  "principal_id",
  "session",
  "episode",
  "outcome",
  "is_failed",
  "message",
  "duration_ms",
  "preview",
  "waited_ms",
] as const satisfies (keyof CallRow)[];

function contains(column: "agent_id" | "principal_id", text: string): ReturnType<typeof sql<boolean>> {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
}

/** The names of called tools that contain a text. The index is read once per name. */
async function toolsLike({ db }: SqlStore, text: string): Promise<string[]> {
  const wanted = text.toLowerCase();
  const found: string[] = [];
  for (let last = ""; ;) {
    const next = db.selectFrom("calls").select("tool").where("tool", ">", last).orderBy("tool").limit(1);
    const row = await next.executeTakeFirst();
    if (!row) return found;
    last = row.tool;
    if (last.toLowerCase().includes(wanted)) found.push(last);
  }
}

/** The id of the last call that a page examines, if there are more after it. */
async function endOfExamined({ db }: SqlStore, before: ReturnType<typeof sql<boolean>>): Promise<string | undefined> {
  const row = await db
    .selectFrom("calls")
    .select("id")
    .where(before)
    .orderBy("id", "desc")
    .limit(1)
    .offset(maxExamined)
    .executeTakeFirst();
  return row?.id;
}

const maxExamined = 50_000;
