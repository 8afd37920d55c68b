import { BiplaneError } from "@biplane/core";
import type { SqlStore } from "../../store/sql-store.ts";
import type { ApprovalRow } from "../../store/tables.ts";
import { personFrom } from "../people/person-rows.ts";
import type { Approval, ApprovalVote } from "./approval.ts";

type Db = SqlStore["db"];

/** A person's approval of one question. */
export interface NewVote {
  readonly by: string;
  readonly at: number;
  readonly comment?: string | undefined;
}

/**
 * Stores a person's approval of a question that needs several. Returns all who approved, once they are enough. Call it
 * in a transaction that locks the question.
 */
export async function addVote(
  transaction: Db,
  { id, round, approvers }: Pick<ApprovalRow, "id" | "round" | "approvers">,
  { by, at, comment }: NewVote,
): Promise<readonly string[] | undefined> {
  const { numInsertedOrUpdatedRows = 0n } = await transaction
    .insertInto("approval_votes")
    .values({ approval: id, round, voter: by, voted_at: at, comment: comment ?? null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n)
    throw new BiplaneError(
      "CONFLICT",
      `You have approved ${id} already. It needs ${approvers} different people, so another person must approve it too.`,
    );
  const votes = await transaction
    .selectFrom("approval_votes")
    .select("voter")
    .where("approval", "=", id)
    .where("round", "=", round)
    .orderBy("voted_at")
    .execute();
  const mayVote = await currentApprovers(transaction, votes);
  const voters = votes.map(({ voter }) => voter).filter((voter) => voter === by || mayVote(voter));
  return voters.length >= approvers ? voters : undefined;
}

/**
 * Adds the votes to approvals that need several people: while one waits, those that count. `keys` are the rows that they
 * were read from, in order.
 */
export async function withVotes(
  db: Db,
  approvals: readonly Approval[],
  keys: readonly Pick<ApprovalRow, "id" | "round">[],
): Promise<Approval[]> {
  const ids = keys.filter((_, at) => approvals[at]?.approvers !== undefined).map(({ id }) => id);
  if (ids.length === 0) return [...approvals];
  const votes = await db
    .selectFrom("approval_votes")
    .selectAll()
    .where("approval", "in", [...new Set(ids)])
    .orderBy("voted_at")
    .execute();
  const mayVote = await currentApprovers(db, votes);
  return approvals.map((approval, at): Approval => {
    if (approval.approvers === undefined) return approval;
    const own = votes.filter(
      ({ approval: id, round, voter }) =>
        id === keys[at]?.id && round === keys[at]?.round && (approval.status !== "waiting" || mayVote(voter)),
    );
    return {
      ...approval,
      votes: own.map(({ voter, voted_at, comment }): ApprovalVote => ({
        by: voter,
        at: new Date(voted_at).toISOString(),
        ...(comment !== null && { comment }),
      })),
    };
  });
}

/** Tells which voters may still approve. A person who was removed, or lost the scope, may not. */
async function currentApprovers(
  db: Db,
  votes: readonly { readonly voter: string }[],
): Promise<(voter: string) => boolean> {
  const people = votes.map(({ voter }) => voter).filter((voter) => voter.startsWith(personPrefix));
  if (people.length === 0) return () => true;
  const names = [...new Set(people)].map((voter) => voter.slice(personPrefix.length));
  const rows = await db.selectFrom("people").selectAll().where("name", "in", names).execute();
  const allowed = rows.map(personFrom).filter(({ scopes }) => scopes.includes("*") || scopes.includes("approvals"));
  const voters = new Set(allowed.map(({ name }) => personPrefix + name));
  return (voter) => !voter.startsWith(personPrefix) || voters.has(voter);
}

const personPrefix = "person ";
