import { randomBytes } from "node:crypto";
import { changesRow } from "../../store/change-rows.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import { storable } from "../../store/storable.ts";
import type { ApprovalRow, NotificationRow } from "../../store/tables.ts";
import type { ApprovalOutbox } from "../approvals/approval-records.ts";
import { cutBetweenWords } from "@biplane/core/internal";

/** Messages in the store, until they are sent. Every process on the store may send them, and each is sent by one. */
export class DeliveryQueue implements ApprovalOutbox {
  readonly #store: SqlStore;
  readonly #targets: readonly string[];

  /** `targets` are the names of all configured targets. */
  constructor(store: SqlStore, targets: readonly string[]) {
    this.#store = store;
    this.#targets = targets;
  }

  /** Called in the transaction that stores the question, so that a crash cannot lose the message. */
  async add(transaction: SqlStore["db"], question: Parameters<ApprovalOutbox["add"]>[1]): Promise<void> {
    if (this.#targets.length === 0) return;
    const { id: approval, round, asked_at: askedAt, expires_at: expiresAt } = question;
    const times = { created_at: askedAt, expires_at: expiresAt };
    const rows = this.#targets.map((target) => newMessage({ kind: "requested", approval, round, target, ...times }));
    await transaction.insertInto("notifications").values(rows).execute();
  }

  /** Called in the transaction that stores the answer. Only targets that were sent the question get the answer. */
  async answered(transaction: SqlStore["db"], answer: Parameters<ApprovalOutbox["answered"]>[1]): Promise<void> {
    const { id: approval, round, answered_at: answeredAt, expires_at: expiresAt } = answer;
    const asked = await transaction
      .selectFrom("notifications")
      .select("target")
      .where("approval", "=", approval)
      .where("round", "=", round)
      .where("kind", "=", "requested")
      .where("attempts", ">", 0)
      .execute();
    if (asked.length === 0) return;
    const times = { created_at: answeredAt, expires_at: expiresAt };
    const rows = asked.map(({ target }) => newMessage({ kind: "answered", approval, round, target, ...times }));
    await transaction.insertInto("notifications").values(rows).execute();
  }

  /**
   * Takes due messages of a target for this process, oldest first. The update succeeds for one process only. If that
   * process dies, the messages are due again after `leaseMs`.
   */
  async claim({ target, now, leaseMs, limit }: ClaimOptions): Promise<NotificationRow[]> {
    const claimed = await this.#store.db
      .updateTable("notifications")
      .set(({ eb }) => ({ attempts: eb("attempts", "+", 1), next_at: now + leaseMs }))
      .where("id", "in", (eb) =>
        eb
          .selectFrom("notifications")
          .select("id")
          .where("status", "=", "waiting")
          .where("next_at", "<=", now)
          .where("target", "=", target)
          .orderBy("next_at")
          .limit(limit),
      )
      .where("status", "=", "waiting")
      .where("next_at", "<=", now)
      .returningAll()
      .execute();
    return claimed.sort((one, other) => one.created_at - other.created_at);
  }

  /** Ends a message that this process claimed. */
  async finish({ id, attempts }: NotificationRow, end: DeliveryEnd): Promise<void> {
    await this.#update({ id, attempts }, end);
  }

  /** Leaves a message for a later attempt, by any process. */
  async postpone({ id, attempts }: NotificationRow, retry: { next_at: number; error?: string }): Promise<void> {
    await this.#update({ id, attempts }, retry);
  }

  async get(id: string): Promise<NotificationRow | undefined> {
    return this.#store.db.selectFrom("notifications").selectAll().where("id", "=", id).executeTakeFirst();
  }

  /** Uses up the link of a message. Returns false if it was used before. */
  async useLink(id: string, now: number): Promise<boolean> {
    const unused = this.#store.db.updateTable("notifications").where("id", "=", id).where("link_used_at", "is", null);
    return changesRow(unused.set({ link_used_at: now }));
  }

  /** The newest messages, with what they are about. */
  list(limit: number): Promise<ListedNotification[]> {
    return this.#store.db
      .selectFrom("notifications")
      .leftJoin("approvals", (join) =>
        join.onRef("approvals.id", "=", "notifications.approval").onRef("approvals.round", "=", "notifications.round"),
      )
      .selectAll("notifications")
      .select(["approvals.tool", "approvals.question", "approvals.status as approval_status"])
      .select("approvals.expires_at as approval_expires_at")
      .select((eb) =>
        eb.fn<string | null>("substr", ["approvals.input", eb.lit(1), eb.lit(previewLength)]).as("preview"),
      )
      .orderBy("notifications.created_at", "desc")
      .orderBy("notifications.id")
      .limit(limit)
      .execute();
  }

  /** Deletes messages that were made before a time. */
  async prune(before: number): Promise<void> {
    await this.#store.db.deleteFrom("notifications").where("created_at", "<", before).execute();
  }

  /** Only the process that made this attempt may say how it ended. */
  async #update(
    { id, attempts }: Pick<NotificationRow, "id" | "attempts">,
    { error, ...change }: Partial<Pick<NotificationRow, "status" | "next_at" | "sent_at">> & { error?: string },
  ): Promise<void> {
    await this.#store.db
      .updateTable("notifications")
      .set({ ...change, error: error === undefined ? null : storable(cutBetweenWords(error, 500)) })
      .where("id", "=", id)
      .where("status", "=", "waiting")
      .where("attempts", "=", attempts)
      .execute();
  }
}

/** A message with its question. Null if the question was deleted. */
export type ListedNotification = NotificationRow & {
  readonly tool: string | null;
  readonly question: string | null;
  readonly approval_status: ApprovalRow["status"] | null;
  readonly approval_expires_at: number | null;
  /** The beginning of the input, as JSON. */
  readonly preview: string | null;
};

const previewLength = 300;

export interface ClaimOptions {
  /** The name of a target. */
  readonly target: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
}

export type DeliveryEnd =
  | { readonly status: "sent"; readonly sent_at: number }
  | { readonly status: "failed" | "dropped"; readonly error: string };

function newMessage(
  given: Pick<NotificationRow, "kind" | "approval" | "round" | "target" | "created_at" | "expires_at">,
): NotificationRow {
  return {
    id: `msg_${randomBytes(16).toString("hex")}`,
    ...given,
    status: "waiting",
    attempts: 0,
    next_at: given.created_at,
    sent_at: null,
    error: null,
    link_used_at: null,
  };
}
