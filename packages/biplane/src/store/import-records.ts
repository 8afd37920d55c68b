import { BiplaneError } from "@biplane/core";
import { isRecord } from "@biplane/core/internal";
import { sql } from "kysely";
import type { InsertObject, Kysely } from "kysely";
import { readTraceEvent } from "../rollout/trace.ts";
import { fillAuditTools } from "./audit-tool.ts";
import { RolloutTracker, cancelled, endingColumns } from "./runs/rollout-facts.ts";
import { storable } from "./storable.ts";
import type { Tables } from "./tables.ts";

type Db = Kysely<Tables>;
type Fields = Readonly<Record<string, unknown>>;

/** Moves what version 0.1 kept as JSON records and log lines into tables. */
export async function importRecords(db: Db): Promise<void> {
  await moveRecords(db, "people", (name, person) => importPerson(db, name, person));
  await moveRecords(db, "people-tokens", (hash, token) => importToken(db, hash, token));
  await moveRecords(db, "people-sessions", (hash, session) => importSession(db, hash, session));
  await moveRecords(db, "sign-in-keys", (hash, { name }) => insert(db, "sign_in_keys", { hash, name: text(name) }));
  await moveRecords(db, "secrets", (name, sealed) => insert(db, "secrets", { name, sealed: JSON.stringify(sealed) }));
  await moveRecords(db, "approvals", (id, approval) => importApproval(db, id, approval));
  await moveRecords(db, "grants", (id, grant) => importGrant(db, id, grant));
  await moveRecords(db, "refusals", (hash, rejection) => importRejection(db, hash, rejection));
  await moveRecords(db, "runs", (id, run) => importRun(db, id, run));
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

function importPerson(db: Db, name: string, person: Fields): Promise<void> {
  return insert(db, "people", {
    name,
    id: text(person["id"]),
    scopes: json(person["scopes"] ?? []),
    created_at: time(person["createdAt"]),
    session_key: text(person["sessionKey"]),
    passphrase: json(person["passphrase"]),
    places: json(person["places"] ?? []),
  });
}

function importToken(db: Db, hash: string, token: Fields): Promise<void> {
  return insert(db, "tokens", {
    hash,
    id: text(token["id"]),
    label: text(token["label"]),
    name: text(token["name"]),
    person: text(token["person"]),
    created_at: time(token["createdAt"]),
    expires_at: time(token["expiresAt"]),
  });
}

function importSession(db: Db, hash: string, session: Fields): Promise<void> {
  return insert(db, "login_sessions", {
    hash,
    name: text(session["name"]),
    session_key: text(session["sessionKey"]),
    key_hash: text(session["keyHash"]),
    created_at: Number(session["createdAt"]),
    seen_at: Number(session["seenAt"]),
  });
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
  const status = text(approval["status"]);
  const about = {
    server: text(approval["server"]),
    tool: text(approval["tool"]),
    hash: text(approval["hash"]),
    rules: optionalJson(approval["rules"]),
    subject: optionalJson(approval["subject"]),
  };
  const who = { principal_kind: text(kind), principal_id: storable(text(principal)) };
  await insert(db, "approvals", {
    id,
    round: place.round,
    ...about,
    ...who,
    approvers: 1,
    assignee: null,
    status: (["waiting", "approved", "rejected", "used"] as const).find((each) => each === status) ?? "waiting",
    question: text(approval["question"]),
    input: json(approval["input"] ?? null),
    agent: json(approval["agent"] ?? {}),
    route: text(approval["route"]),
    session: optionalText(approval["session"]),
    episode: optionalText(approval["episode"]),
    batch: storable(text(approval["batch"])),
    asked_at: time(approval["askedAt"]),
    expires_at: time(approval["expiresAt"]),
  });
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
    expires_at: time(approval["expiresAt"]),
    ended_at: status === "approved" ? null : answered.at,
  });
}

function importGrant(db: Db, id: string, grant: Fields): Promise<void> {
  const { kind, id: principal } = (grant["principal"] ?? {}) as { kind?: unknown; id?: unknown };
  return insert(db, "grants", {
    id,
    kind: "standing",
    server: text(grant["server"]),
    tool: text(grant["tool"]),
    hash: optionalText(grant["hash"]),
    pattern: optionalJson(grant["pattern"]),
    rules: optionalJson(grant["rules"]),
    subject: optionalJson(grant["subject"]),
    principal_kind: optionalText(kind),
    principal_id: optionalText(principal),
    approval: null,
    round: null,
    with_grant: null,
    expires_at: null,
    ended_at: null,
    granted_by: text(grant["grantedBy"]),
    granted_at: time(grant["grantedAt"]),
  });
}

function importRejection(db: Db, hash: string, rejection: Fields): Promise<void> {
  return insert(db, "rejections", {
    hash,
    server: text(rejection["server"]),
    tool: text(rejection["tool"]),
    subject: optionalJson(rejection["subject"]),
    reason: text(rejection["reason"]),
    refused_by: text(rejection["refusedBy"]),
    refused_at: time(rejection["refusedAt"]),
  });
}

async function importRun(db: Db, id: string, run: Fields): Promise<void> {
  const number = (name: string) => Number(run[name]) || 0;
  await insert(db, "runs", {
    id,
    name: optionalText(run["name"]),
    status: run["status"] === "running" || run["status"] === "finished" ? run["status"] : "cancelled",
    started_at: time(run["startedAt"]),
    ended_at: run["endedAt"] === undefined ? null : time(run["endedAt"]),
    target: text(run["target"]),
    agent: text(run["agent"]),
    model: text(run["model"]),
    rows: number("rows"),
    repetitions: number("repetitions"),
    steps: number("steps"),
    concurrency: number("concurrency"),
    version: text(run["version"]),
    pid: number("pid"),
    pass: typeof run["pass"] === "number" ? run["pass"] : null,
    settings: optionalJson(run["settings"]),
    tags: "[]",
    ended: 0,
    finished: 0,
    failed: 0,
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
      await db
        .insertInto("rollouts")
        .values(row)
        .onConflict((conflict) => conflict.columns(["run", "row_index", "repetition"]).doUpdateSet(row))
        .execute();
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

function optionalJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function time(value: unknown): number {
  return Date.parse(text(value)) || 0;
}
