import { sql } from "kysely";
import { insertRows } from "../../store/change-rows.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import type { GrantRow } from "../../store/tables.ts";
import type { Grant, GrantSummary, StandingRejection } from "./approval.ts";
import { fromJson, grantFrom, rejectionFrom, rejectionRow, standingGrantRow, toJson } from "./approval-rows.ts";
import { setStatus } from "./set-status.ts";

type Db = SqlStore["db"];

/** Approvals and rejections in the store that hold until a person decides otherwise. */
export class StandingRecords {
  readonly #store: SqlStore;
  readonly #now: () => number;

  constructor(store: SqlStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  async grants(): Promise<GrantSummary[]> {
    const found = await standing(this.#store.db)
      .select(sql<string | null>`substr(input, 1, ${sql.lit(previewLength)})`.as("preview"))
      .orderBy("granted_at")
      .execute();
    return found.map(({ preview, ...row }) => ({ ...grantFrom(row), ...(preview !== null && { preview }) }));
  }

  /** One grant with its input. */
  async grant(id: string): Promise<Grant | undefined> {
    const row = await standing(this.#store.db).select("input").where("id", "=", id).executeTakeFirst();
    return row && { ...grantFrom(row), ...(row.input !== null && { input: fromJson(row.input) }) };
  }

  /** The standing grants that may cover a subject: the exact ones, and those with a pattern. */
  async grantsFor({ server, hash }: { server: string; hash: string }): Promise<Grant[]> {
    const found = await standing(this.#store.db)
      .where("server", "=", server)
      .where((eb) => eb.or([eb("hash", "=", hash), eb("hash", "is", null)]))
      .execute();
    return found.map(grantFrom);
  }

  /** Also ends approvals that came with the grant and are still unused. */
  async revoke(grantId: string, by: string): Promise<boolean> {
    const now = this.#now();
    return this.#store.db.transaction().execute(async (transaction) => {
      const grant = await standing(transaction).where("id", "=", grantId).executeTakeFirst();
      if (!grant) return false;
      await this.#end(transaction, [grantId]);
      const { server, tool, hash, subject, rules } = grant;
      const decided = { verdict: "revoke" as const, decided_by: by, decided_at: now, grant_id: grantId };
      await transaction
        .insertInto("decisions")
        .values({ ...undecided, ...decided, server, tool, hash, subject, rules })
        .execute();
      return true;
    });
  }

  async rejection(hash: string): Promise<StandingRejection | undefined> {
    const row = await this.#store.db.selectFrom("rejections").selectAll().where("hash", "=", hash).executeTakeFirst();
    return row && rejectionFrom(row);
  }

  async rejections(): Promise<StandingRejection[]> {
    return (await this.#store.db.selectFrom("rejections").selectAll().execute()).map(rejectionFrom);
  }

  /** A decision for every caller about one subject, instead of all earlier ones. */
  async decide(decision: { grant: Grant & { hash: string } } | { rejection: StandingRejection }): Promise<void> {
    const subject = "grant" in decision ? decision.grant : decision.rejection;
    const about = {
      server: subject.server,
      tool: subject.tool,
      hash: subject.hash,
      subject: toJson(subject.subject),
    };
    await this.#store.transaction(`decision about ${subject.hash}`, async (transaction) => {
      const others = await standing(transaction).where("hash", "=", subject.hash).execute();
      if ("grant" in decision) {
        const { grant } = decision;
        await transaction.insertInto("grants").values(standingGrantRow(grant)).execute();
        await transaction.deleteFrom("rejections").where("hash", "=", grant.hash).execute();
        const decided = { decided_by: grant.grantedBy, decided_at: Date.parse(grant.grantedAt), grant_id: grant.id };
        await transaction
          .insertInto("decisions")
          .values({ ...undecided, ...about, ...decided, verdict: "approve" })
          .execute();
        return;
      }
      const row = rejectionRow(decision.rejection);
      await insertRows(transaction, "rejections", { rows: [row], ifKnown: "replace" });
      await this.#end(
        transaction,
        others.map(({ id }) => id),
      );
      const decided = { decided_by: row.refused_by, decided_at: row.refused_at, reason: row.reason };
      await transaction
        .insertInto("decisions")
        .values({ ...undecided, ...about, ...decided, verdict: "reject" })
        .execute();
    });
  }

  /** Ends standing grants, and what was given with them. */
  async #end(transaction: Db, grantIds: readonly string[]): Promise<void> {
    if (grantIds.length === 0) return;
    const ended = await transaction
      .selectFrom("grants")
      .select(["approval", "round"])
      .where("with_grant", "in", grantIds)
      .where("ended_at", "is", null)
      .execute();
    await transaction
      .updateTable("grants")
      .set({ ended_at: this.#now() })
      .where((eb) => eb.or([eb("id", "in", grantIds), eb("with_grant", "in", grantIds)]))
      .where("ended_at", "is", null)
      .execute();
    for (const { approval, round } of ended)
      if (approval !== null && round !== null)
        await setStatus(transaction, { id: approval, round }, { status: "used" });
  }
}

const undecided = { approval: null, round: null, reason: null, scope: null, rules: null, grant_id: null };

/** Without the inputs: calls that are decided do not need them. */
function standing(db: Db) {
  return db.selectFrom("grants").select(columns).where("kind", "=", "standing").where("ended_at", "is", null);
}

const columns = [
  "id",
  "server",
  "tool",
  "hash",
  "pattern",
  "rules",
  "subject",
  "principal_kind",
  "principal_id",
  "granted_by",
  "granted_at",
] as const satisfies readonly (keyof GrantRow)[];

const previewLength = 300;
