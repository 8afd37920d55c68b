import { BiplaneError } from "@biplane/core";
import { changesRow } from "../../store/change-rows.ts";
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
  const vote = { approval: id, round, voter: by, voted_at: at, comment: comment ?? null };
  const added = transaction.insertInto("approval_votes").values(vote);
  if (!(await changesRow(added.onConflict((conflict) => conflict.doNothing()))))
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
  const { mayVote, personOf } = await currentApprovers(transaction, votes);
  const voters = votes.map(({ voter }) => voter).filter((voter) => voter === by || mayVote(voter));
  const same = voters.find((voter) => voter !== by && personOf(voter) === personOf(by));
  if (same !== undefined)
    throw new BiplaneError(
      "CONFLICT",
      `${same} has approved ${id} already and has your e-mail address, so both accounts count as one person. Another person must approve it too.`,
    );
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
  const { mayVote } = await currentApprovers(db, votes);
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

/** What is known about the people who voted. */
interface Voters {
  /** A person who was removed, or lost the scope, may not approve any more. */
  readonly mayVote: (voter: string) => boolean;
  /** Equal for accounts of one person, as far as their e-mail addresses show. */
  readonly personOf: (voter: string) => string;
}

async function currentApprovers(db: Db, votes: readonly { readonly voter: string }[]): Promise<Voters> {
  const people = votes.map(({ voter }) => voter).filter((voter) => voter.startsWith(personPrefix));
  if (people.length === 0) return { mayVote: () => true, personOf: (voter) => voter };
  const names = [...new Set(people)].map((voter) => voter.slice(personPrefix.length));
  const rows = await db.selectFrom("people").selectAll().where("name", "in", names).execute();
  const known = new Map(rows.map((row) => [personPrefix + row.name, personFrom(row)]));
  return {
    mayVote: (voter) => {
      const { scopes = [] } = known.get(voter) ?? {};
      return !voter.startsWith(personPrefix) || scopes.includes("*") || scopes.includes("approvals");
    },
    personOf: (voter) => known.get(voter)?.email ?? voter,
  };
}

/** True if both accounts belong to one person, as far as their e-mail addresses show. */
export async function isSamePerson(db: Db, name: string, other: string): Promise<boolean> {
  if (name === other) return true;
  const found = await db.selectFrom("people").select("email").where("name", "in", [name, other]).execute();
  return found.length === 2 && found[0]?.email !== null && found[0]?.email === found[1]?.email;
}

export const personPrefix = "person ";
