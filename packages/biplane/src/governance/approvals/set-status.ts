import { changesRow } from "../../store/change-rows.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import type { ApprovalRow } from "../../store/tables.ts";

/** Changes one round of a question. Returns false if another process answered it first. */
export async function setStatus(
  transaction: SqlStore["db"],
  { id, round }: Pick<ApprovalRow, "id" | "round">,
  change: Partial<Pick<ApprovalRow, "status" | "expires_at">>,
): Promise<boolean> {
  const update = transaction.updateTable("approvals").set(change).where("id", "=", id).where("round", "=", round);
  const isAnswer = change.status !== "used";
  return changesRow(isAnswer ? update.where("status", "=", "waiting") : update);
}
