import { randomUUID } from "node:crypto";
import { BiplaneError } from "@biplane/core";
import { callerOf } from "@biplane/core/internal";
import type { ExpressionBuilder } from "kysely";
import { changesRow } from "../../store/change-rows.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import { storable } from "../../store/storable.ts";
import type { ApprovalRow, Tables } from "../../store/tables.ts";
import type { Approval, ApprovalFilter, ApprovalScope, Grant } from "./approval.ts";
import {
  approvalFrom,
  approvalRow,
  standingGrantRow,
  summaryColumns,
  approvalSummaryFrom,
  toJson,
} from "./approval-rows.ts";
import type { ApprovalSummary, FoundApproval, NewApproval } from "./approval-rows.ts";
import { addVote, isSamePerson, personPrefix, withVotes } from "./approval-votes.ts";
import { setStatus } from "./set-status.ts";

type Db = SqlStore["db"];

/** A person's answer to one question. */
export interface Settlement {
  readonly verdict: "approve" | "reject";
  readonly by: string;
  readonly reason?: string | undefined;
  readonly scope?: ApprovalScope | undefined;
  /** A standing grant that is stored with the answer. */
  readonly grant?: Grant | undefined;
  /** A standing grant that is stored already. */
  readonly grantId?: string | undefined;
  /** Until when the caller can use the answer. */
  readonly expiresAt: number;
}

/** Stores what is to be sent about a question and its answer, together with them. */
export interface ApprovalOutbox {
  add(transaction: Db, question: Pick<ApprovalRow, "id" | "round" | "asked_at" | "expires_at">): Promise<void>;
  /** `expires_at` is when the message is too late. */
  answered(
    transaction: Db,
    answer: Pick<ApprovalRow, "id" | "round" | "expires_at"> & { readonly answered_at: number },
  ): Promise<void>;
}

/** A decision about a call, with its number. */
export interface NumberedDecision {
  readonly number: number;
  readonly id: string;
}

/** Approvals in the store. Nothing is cached, so every process sees every answer at once. */
export class ApprovalRecords {
  readonly #store: SqlStore;
  readonly #now: () => number;
  readonly #outbox: ApprovalOutbox | undefined;

  constructor(store: SqlStore, { now, outbox }: { now: () => number; outbox?: ApprovalOutbox | undefined }) {
    this.#store = store;
    this.#now = now;
    this.#outbox = outbox;
  }

  /** Returns the open question under this id, or stores this one as a new round. */
  async ask(question: NewApproval, maxWaiting: number): Promise<Approval> {
    const known = await this.#open(this.#store.db, question.id);
    if (known) return known;
    return this.#store.transaction(`approvals of ${callerOf(question.principal)}`, async (transaction) => {
      const existing = await this.#open(transaction, question.id);
      if (existing) return existing;
      await this.#makeRoom(transaction, question.principal, maxWaiting);
      const last = await this.#find(transaction, question.id);
      const row = approvalRow(question, (last?.round ?? 0) + 1);
      await transaction.insertInto("approvals").values(row).execute();
      await this.#outbox?.add(transaction, row);
      return question;
    });
  }

  /** Uses up an approval. Returns undefined if it is no longer available. */
  async use(id: string): Promise<Approval | undefined> {
    const isOurs = await this.#store.db.transaction().execute(async (transaction) => {
      const found = await this.#find(transaction, id);
      if (!found) return false;
      const valid = transaction
        .updateTable("grants")
        .where("approval", "=", found.id)
        .where("round", "=", found.round)
        .where("ended_at", "is", null)
        .where("expires_at", ">", this.#now());
      if (!(await changesRow(valid.set({ ended_at: this.#now() })))) return false;
      await setStatus(transaction, found, { status: "used" });
      return true;
    });
    return isOurs ? this.get(id) : undefined;
  }

  /**
   * Stores the answer to a question that still waits. If two people answer at once, the second gets an error. A question
   * that needs several people waits on until enough have approved.
   */
  async settle(id: string, answer: Settlement): Promise<Approval> {
    const { verdict, reason, scope, grant, expiresAt } = answer;
    const now = this.#now();
    await this.#store.transaction(`answer to ${id.split(".")[0]}`, async (transaction) => {
      const found = await this.#mustWait(transaction, id);
      await mustBeAnother(transaction, found, answer.by);
      const isVote = verdict === "approve" && found.approvers > 1;
      const voters = isVote
        ? await addVote(transaction, found, { by: answer.by, at: now, comment: reason })
        : [answer.by];
      if (!voters) return;
      const by = voters.join(" and ");
      const status = verdict === "approve" ? "approved" : "rejected";
      const isFirst = await setStatus(transaction, found, { status, expires_at: expiresAt });
      if (!isFirst) throw alreadyAnswered(id);
      const { server, tool, hash, subject, rules, round } = found;
      await this.#outbox?.answered(transaction, { id: found.id, round, answered_at: now, expires_at: expiresAt });
      const about = { approval: found.id, round, server, tool, hash, subject, rules };
      const grantId = grant?.id ?? answer.grantId ?? null;
      const decided = {
        decided_by: by,
        decided_at: now,
        reason: reason ?? null,
        scope: toJson(scope),
        grant_id: grantId,
      };
      await transaction
        .insertInto("decisions")
        .values({ ...about, verdict, ...decided })
        .execute();
      if (grant) await transaction.insertInto("grants").values(standingGrantRow(grant)).execute();
      if (verdict === "approve") {
        const { principal_kind, principal_id } = found;
        const given = { with_grant: grantId, granted_by: by, granted_at: now, expires_at: expiresAt, ended_at: null };
        await transaction
          .insertInto("grants")
          .values({ ...about, ...given, id: randomUUID(), kind: "once", pattern: null, principal_kind, principal_id })
          .execute();
      }
    });
    return (await this.get(id)) as Approval;
  }

  /** Number of waiting calls across all processes, without reading their inputs. */
  async waiting(): Promise<number> {
    const { count } = await this.#store.db
      .selectFrom("approvals")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("status", "=", "waiting")
      .where("expires_at", ">", this.#now())
      .executeTakeFirstOrThrow();
    return count;
  }

  /** The newest decisions about calls, oldest first. */
  async newestAnswers(limit: number): Promise<NumberedDecision[]> {
    const found = await this.#store.db
      .selectFrom("decisions")
      .select(["number", "approval as id"])
      .where("approval", "is not", null)
      .orderBy("number", "desc")
      .limit(limit)
      .$narrowType<{ id: string }>()
      .execute();
    return found.reverse();
  }

  async getWaiting(id: string): Promise<Approval> {
    return approvalFrom(await this.#mustWait(this.#store.db, id), this.#now());
  }

  async get(id: string): Promise<Approval | undefined> {
    const found = await this.#find(this.#store.db, id);
    return found && (await this.#read([found]))[0];
  }

  /** Names who should answer waiting questions, or nobody. */
  async assign(ids: readonly string[], assignee: string | null): Promise<Approval[]> {
    await this.#store.db.transaction().execute(async (transaction) => {
      for (const id of ids) {
        const { id: base, round } = await this.#mustWait(transaction, id);
        await transaction
          .updateTable("approvals")
          .set({ assignee })
          .where("id", "=", base)
          .where("round", "=", round)
          .execute();
      }
    });
    const assigned = await Promise.all(ids.map((id) => this.get(id)));
    return assigned.filter((each) => each !== undefined);
  }

  /** `after` works even if that approval no longer matches the filter. */
  async list(filter: ApprovalFilter = {}): Promise<Approval[]> {
    const { after, limit = 100, status, principal } = filter;
    const now = this.#now();
    const last = after === undefined ? undefined : await this.#find(this.#store.db, after);
    if (after !== undefined && !last) return [];
    let query = rows(this.#store.db)
      .orderBy("approvals.asked_at", "desc")
      .orderBy("approvals.id")
      .orderBy("approvals.round", "desc")
      .limit(limit);
    for (const column of ["server", "tool", "batch"] as const) {
      const wanted = filter[column];
      if (wanted !== undefined) query = query.where(`approvals.${column}`, "=", wanted);
    }
    if (principal !== undefined) query = query.where("principal_id", "=", principal);
    if (filter.assignee !== undefined) query = query.where("assignee", "=", filter.assignee);
    if (status === "expired")
      query = query.where("approvals.status", "in", ["waiting", "approved"]).where("approvals.expires_at", "<=", now);
    else if (status !== undefined) {
      query = query.where("approvals.status", "=", status);
      if (status === "waiting" || status === "approved") query = query.where("approvals.expires_at", ">", now);
    }
    if (last)
      query = query.where((eb) =>
        eb.or([
          eb("approvals.asked_at", "<", last.asked_at),
          eb.and([eb("approvals.asked_at", "=", last.asked_at), eb("approvals.id", ">", last.id)]),
          eb.and([
            eb("approvals.asked_at", "=", last.asked_at),
            eb("approvals.id", "=", last.id),
            eb("approvals.round", "<", last.round),
          ]),
        ]),
      );
    return this.#read(await query.execute());
  }

  /** The newest. Reads no inputs. */
  async newest(limit: number): Promise<ApprovalSummary[]> {
    const found = await this.#store.db
      .selectFrom("approvals")
      .select(summaryColumns)
      .select(lastRound)
      .orderBy("approvals.asked_at", "desc")
      .orderBy("approvals.id")
      .orderBy("approvals.round", "desc")
      .limit(limit)
      .execute();
    return found.map((row) => approvalSummaryFrom(row, this.#now()));
  }

  /** The newest calls of one caller. */
  async ofCaller({ kind, id }: Approval["principal"], limit: number): Promise<Approval[]> {
    const found = await rows(this.#store.db)
      .where("principal_kind", "=", kind)
      .where("principal_id", "=", storable(id))
      .orderBy("approvals.asked_at", "desc")
      .orderBy("approvals.id")
      .orderBy("approvals.round", "desc")
      .limit(limit)
      .execute();
    return found.map((row) => approvalFrom(row, this.#now()));
  }

  /** Those of these questions that were deleted, in one query for each 500. */
  async missingAmong(ids: readonly string[]): Promise<string[]> {
    const missing = new Set(ids);
    for (let from = 0; from < ids.length; from += 500) {
      const found = this.#store.db.selectFrom("approvals").select("id").distinct();
      for (const { id } of await found.where("id", "in", ids.slice(from, from + 500)).execute()) missing.delete(id);
    }
    return [...missing];
  }

  /** Those of these questions that no longer wait, in one query for each 500. */
  async settledAmong(ids: readonly string[]): Promise<Approval[]> {
    const settled: Approval[] = [];
    for (let from = 0; from < ids.length; from += 500) {
      const found = await rows(this.#store.db)
        .where("approvals.id", "in", ids.slice(from, from + 500))
        .where((eb) =>
          eb(
            "approvals.round",
            "=",
            eb
              .selectFrom("approvals as newer")
              .select(({ fn }) => fn.max<number>("newer.round").as("round"))
              .whereRef("newer.id", "=", "approvals.id"),
          ),
        )
        .where((eb) => eb.or([eb("approvals.status", "!=", "waiting"), eb("approvals.expires_at", "<=", this.#now())]))
        .execute();
      settled.push(...(await this.#read(found)));
    }
    return settled;
  }

  /** The last approved other call of the same tool, before this one was answered. */
  async previous({ id, server, tool, answeredAt }: Approval): Promise<Approval | undefined> {
    const until = answeredAt === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(answeredAt);
    const row = await rows(this.#store.db)
      .where("approvals.server", "=", server)
      .where("approvals.tool", "=", tool)
      .where("approvals.id", "!=", id)
      .where("decisions.verdict", "=", "approve")
      .where("decisions.decided_at", "<", until)
      .orderBy("decisions.number", "desc")
      .limit(1)
      .executeTakeFirst();
    return row && approvalFrom(row, this.#now());
  }

  /** Every waiting question about this subject. */
  async waitingFor(hash: string): Promise<Approval[]> {
    const found = await rows(this.#store.db)
      .where("approvals.status", "=", "waiting")
      .where("approvals.hash", "=", hash)
      .where("approvals.expires_at", ">", this.#now())
      .execute();
    return found.map((row) => approvalFrom(row, this.#now()));
  }

  /** Limits what a caller can add to the queue and the store. Decided questions stay. */
  async #makeRoom(transaction: Db, principal: Approval["principal"], maxWaiting: number): Promise<void> {
    const own = await transaction
      .selectFrom("approvals")
      .select(["id", "round", "expires_at"])
      .where("status", "=", "waiting")
      .where("principal_kind", "=", principal.kind)
      .where("principal_id", "=", storable(principal.id))
      .orderBy("expires_at", "desc")
      .execute();
    const now = this.#now();
    const waiting = own.filter(({ expires_at }) => expires_at > now).length;
    if (waiting >= maxWaiting)
      throw new BiplaneError("CAPACITY", `This caller already has ${waiting} calls waiting for approval.`);
    const isSurplus = (at: number) => at >= waiting + maxWaiting;
    const old = own.filter(({ expires_at }, at) => isSurplus(at) || expires_at + keepMs < now);
    for (const { id, round } of old)
      await transaction.deleteFrom("approvals").where("id", "=", id).where("round", "=", round).execute();
  }

  #read(found: readonly FoundApproval[]): Promise<Approval[]> {
    const approvals = found.map((row) => approvalFrom(row, this.#now()));
    return withVotes(this.#store.db, approvals, found);
  }

  async #open(db: Db, id: string): Promise<Approval | undefined> {
    const found = await this.#find(db, id);
    if (!found || found.status === "used" || found.expires_at <= this.#now()) return undefined;
    return approvalFrom(found, this.#now());
  }

  /** The last round, or the one after a dot. */
  async #find(db: Db, id: string): Promise<FoundApproval | undefined> {
    const [base = "", round] = id.split(".");
    const query = rows(db).where("approvals.id", "=", base).orderBy("approvals.round", "desc").limit(1);
    return (round === undefined ? query : query.where("approvals.round", "=", Number(round) || 0)).executeTakeFirst();
  }

  async #mustWait(db: Db, id: string): Promise<FoundApproval> {
    const found = await this.#find(db, id);
    if (!found) throw new BiplaneError("INVALID_INPUT", `There is no approval ${id}.`);
    const { status } = approvalFrom(found, this.#now());
    if (status !== "waiting") throw new BiplaneError("INVALID_INPUT", `Approval ${id} is already ${status}.`);
    return found;
  }
}

/** Unanswered questions are kept for a week after they expired. */
const keepMs = 7 * 24 * 3_600_000;

function rows(db: Db) {
  return db
    .selectFrom("approvals")
    .leftJoin("decisions", (join) =>
      join.onRef("decisions.approval", "=", "approvals.id").onRef("decisions.round", "=", "approvals.round"),
    )
    .selectAll("approvals")
    .select(["decisions.decided_by", "decisions.decided_at", "decisions.reason", "decisions.grant_id"])
    .select(lastRound);
}

function lastRound(eb: ExpressionBuilder<Tables, "approvals">) {
  return eb
    .selectFrom("approvals as later")
    .select(({ fn }) => fn.max<number>("later.round").as("round"))
    .whereRef("later.id", "=", "approvals.id")
    .as("last_round");
}

/** A person with two accounts does not answer their own call with the other one. */
async function mustBeAnother(
  db: Db,
  { id, principal_kind, principal_id }: Pick<ApprovalRow, "id" | "principal_kind" | "principal_id">,
  by: string,
): Promise<void> {
  if (principal_kind !== "person" || !by.startsWith(personPrefix)) return;
  if (!(await isSamePerson(db, principal_id, by.slice(personPrefix.length)))) return;
  throw new BiplaneError(
    "FORBIDDEN",
    `The account ${principal_id} made this call and has your e-mail address. Another person must answer approval ${id}.`,
  );
}

function alreadyAnswered(id: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `Approval ${id} is already answered.`);
}
