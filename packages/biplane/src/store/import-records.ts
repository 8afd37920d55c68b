import { BiplaneError } from "@biplane/core";
import { isRecord } from "@biplane/core/internal";
import { sql } from "kysely";
import type { InsertObject, Kysely } from "kysely";
import { readTraceEvent } from "../rollout/trace.ts";
import { fillAuditTools } from "./audit-tool.ts";
import { insertRows } from "./change-rows.ts";
import { RolloutTracker, cancelled, endingColumns } from "./runs/rollout-facts.ts";
import { storable } from "./storable.ts";
import type { Tables } from "./tables.ts";

type Db = Kysely<Tables>;
type Fields = Readonly<Record<string, unknown>>;

/** Moves what version 0.1 kept as JSON records and log lines into tables. */
export async function importRecords(db: Db): Promise<void> {
  await moveRecords(db, "people", (name, person) => insert(db, "people", { name, ...columnsOf(person, ofPerson) }));
  await moveRecords(db, "people-tokens", (hash, token) => insert(db, "tokens", { hash, ...columnsOf(token, ofToken) }));
  await moveRecords(db, "people-sessions", (hash, session) =>
    insert(db, "login_sessions", { hash, ...columnsOf(session, ofSession) }),
  );
  await moveRecords(db, "sign-in-keys", (hash, { name }) => insert(db, "sign_in_keys", { hash, name: text(name) }));
  await moveRecords(db, "secrets", (name, sealed) => insert(db, "secrets", { name, sealed: json(sealed) }));
  await moveRecords(db, "approvals", (id, approval) => importApproval(db, id, approval));
  await moveRecords(db, "grants", (id, grant) => importGrant(db, id, grant));
  await moveRecords(db, "refusals", (hash, rejection) =>
    insert(db, "rejections", { hash, ...columnsOf(rejection, ofRejection) }),
  );
  await moveRecords(db, "runs", (id, run) =>
    insert(db, "runs", { id, ...columnsOf(run, ofRun), tags: "[]", ended: 0, finished: 0, failed: 0 }),
  );
  for (const derived of ["approvals-waiting", "run-digests"])
    await db.deleteFrom("records").where("collection", "=", derived).execute();
  await moveLogs(db);
}

/** Reads a collection in pages, moves each record, and deletes it. */
async function moveRecords(
  db: Db,
  collection: string,
  move: (key: string, record: Fields) => Promise<void>,
): Promise<void> {
  for (;;) {
    const page = await db
      .selectFrom("records")
      .select(["key", "json"])
      .where("collection", "=", collection)
      .orderBy("key")
      .limit(500)
      .execute();
    const last = page.at(-1);
    if (!last) return;
    for (const { key, json } of page) await move(key, readFields(json, `${collection}/${key}`));
    await db.deleteFrom("records").where("collection", "=", collection).where("key", "<=", last.key).execute();
  }
}

/** A record that cannot be read fails the conversion: without a rejection, for one, a call would be allowed. */
function readFields(json: string, name: string): Fields {
  try {
    const record: unknown = JSON.parse(json);
    if (isRecord(record)) return record;
  } catch {
    // Told below.
  }
  const why = `The store is damaged: the record ${JSON.stringify(name.slice(0, 100))} cannot be read.`;
  throw new BiplaneError("INVALID_DEFINITION", `${why} Restore the store from a backup.`);
}

async function insert<Table extends keyof Tables>(
  db: Db,
  table: Table,
  row: InsertObject<Tables, Table>,
): Promise<void> {
  await db.insertInto(table).values(row).execute();
}

/** How a column is read from the field of a record that has its name, in camel case. */
type Readers<Columns> = { readonly [Name in keyof Columns]: (field: unknown) => Columns[Name] };

function columnsOf<Columns extends object>(record: Fields, readers: Readers<Columns>): Columns {
  const columns = Object.entries<(field: unknown) => unknown>(readers).map(([column, read]) => {
    const field = column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    return [column, read(record[field])] as const;
  });
  return Object.fromEntries(columns) as Columns;
}

/** An archived question has its time after a dot. */
async function importApproval(db: Db, key: string, approval: Fields): Promise<void> {
  const [id = ""] = key.split(".");
  const { round } = await db
    .selectFrom("approvals")
    .select(({ fn }) => fn.countAll<number>().as("round"))
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  const place = { approval: id, round: round + 1 };
  const { kind, id: principal } = (approval["principal"] ?? {}) as { kind?: unknown; id?: unknown };
  const about = columnsOf(approval, ofSubject);
  const question = columnsOf(approval, ofQuestion);
  const who = { principal_kind: text(kind), principal_id: storable(text(principal)) };
  await insert(db, "approvals", { id, round: place.round, ...about, ...who, ...question, approvers: 1 });
  if (approval["answeredBy"] === undefined) return;
  const isRejection = approval["reason"] !== undefined;
  const answered = { by: text(approval["answeredBy"]), at: time(approval["answeredAt"]) };
  const grant = optionalText(approval["grant"]);
  await insert(db, "decisions", {
    ...place,
    ...about,
    decided_by: answered.by,
    decided_at: answered.at,
    verdict: isRejection ? "reject" : "approve",
    reason: optionalText(approval["reason"]),
    scope: null,
    grant_id: grant,
  });
  if (isRejection) return;
  await insert(db, "grants", {
    id: `${id}.${place.round}`,
    kind: "once" as const,
    ...place,
    ...about,
    ...who,
    pattern: null,
    with_grant: grant,
    granted_by: answered.by,
    granted_at: answered.at,
    expires_at: question.expires_at,
    ended_at: approval["status"] === "approved" ? null : answered.at,
  });
}

function importGrant(db: Db, id: string, grant: Fields): Promise<void> {
  const { kind, id: principal } = (grant["principal"] ?? {}) as { kind?: unknown; id?: unknown };
  return insert(db, "grants", {
    id,
    kind: "standing",
    ...columnsOf(grant, ofGrant),
    principal_kind: optionalText(kind),
    principal_id: optionalText(principal),
  });
}

/** 0.1 had one table of lines for the audit log and the traces of all runs. */
async function moveLogs(db: Db): Promise<void> {
  const { rows: tables } = await sql`select 1 from sqlite_master where name = 'log_lines'`.execute(db);
  if (tables.length === 0) return;
  await sql`insert into audit select sequence, line from log_lines where log = 'audit' order by sequence`.execute(db);
  await sql.raw(fillAuditTools("sqlite", (name) => name)).execute(db);
  const { rows: logs } = await sql<{ run: string }>`
    select distinct substr(log, 8) as run from log_lines where log >= 'traces/' and log < 'traces0'`.execute(db);
  for (const { run } of logs) await importTraces(db, run);
  await sql`drop table log_lines`.execute(db);
}

async function importTraces(db: Db, run: string): Promise<void> {
  const tracker = new RolloutTracker(run);
  const isCounted = new Map<string, string>();
  for (let after = 0; ;) {
    const { rows: lines } = await sql<{ sequence: number; line: string }>`
      select sequence, line from log_lines where log = ${`traces/${run}`} and sequence > ${after} order by sequence limit 500
    `.execute(db);
    const last = lines.at(-1);
    if (!last) break;
    for (const { line } of lines) {
      const event = readTraceEvent(line);
      const added = event && tracker.add(event);
      if (!added) continue;
      const { row, sequence } = added;
      // A job that was played again counts once.
      const job = `${row.row_index}/${row.repetition}`;
      const before = isCounted.get(job);
      if (before !== undefined && before !== row.rollout)
        await db.deleteFrom("trace_events").where("run", "=", run).where("rollout", "=", before).execute();
      isCounted.set(job, row.rollout);
      await insert(db, "trace_events", { run, rollout: row.rollout, sequence, line });
      await insertRows(db, "rollouts", { rows: [row], ifKnown: "replace" });
    }
    after = last.sequence;
  }
  const { status } = (await db.selectFrom("runs").select("status").where("id", "=", run).executeTakeFirst()) ?? {};
  if (status !== "running")
    await db
      .updateTable("rollouts")
      .set((eb) => ({ ...endingColumns(cancelled), ended_at: eb.ref("started_at") }))
      .where("run", "=", run)
      .where("ended_at", "is", null)
      .execute();
  await sql`update runs set
    ended = (select count(*) from rollouts where run = runs.id and ended_at is not null),
    finished = (select count(*) from rollouts where run = runs.id and ended_at is not null and ending != ${cancelled}),
    failed = (select count(*) from rollouts where run = runs.id and ended_at is not null and ending_group = 'error')
    where id = ${run}`.execute(db);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function optionalText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function json(value: unknown): string {
  return JSON.stringify(value);
}

function list(value: unknown): string {
  return json(value ?? []);
}

function optionalJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function time(value: unknown): number {
  return Date.parse(text(value)) || 0;
}

function count(value: unknown): number {
  return Number(value) || 0;
}

const approvalStatuses = ["waiting", "approved", "rejected", "used"] as const;
const runStatuses = ["running", "finished"] as const;

const ofPerson = { id: text, scopes: list, created_at: time, session_key: text, passphrase: json, places: list };
const ofToken = { id: text, label: text, name: text, person: text, created_at: time, expires_at: time };
const ofSession = { name: text, session_key: text, key_hash: text, created_at: Number, seen_at: Number };
const ofSubject = { server: text, tool: text, hash: text, rules: optionalJson, subject: optionalJson };
const ofQuestion = {
  status: (status: unknown) => approvalStatuses.find((each) => each === status) ?? "waiting",
  question: text,
  input: (input: unknown) => json(input ?? null),
  agent: (agent: unknown) => json(agent ?? {}),
  route: text,
  session: optionalText,
  episode: optionalText,
  batch: (batch: unknown) => storable(text(batch)),
  asked_at: time,
  expires_at: time,
};
const ofGrant = { ...ofSubject, hash: optionalText, pattern: optionalJson, granted_by: text, granted_at: time };
const ofRejection = {
  server: text,
  tool: text,
  subject: optionalJson,
  reason: text,
  refused_by: text,
  refused_at: time,
};
const ofRun = {
  name: optionalText,
  status: (status: unknown) => runStatuses.find((each) => each === status) ?? "cancelled",
  started_at: time,
  ended_at: (at: unknown) => (at === undefined ? null : time(at)),
  target: text,
  agent: text,
  model: text,
  rows: count,
  repetitions: count,
  steps: count,
  concurrency: count,
  version: text,
  pid: count,
  pass: (pass: unknown) => (typeof pass === "number" ? pass : null),
  settings: optionalJson,
};
