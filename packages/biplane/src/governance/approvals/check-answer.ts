import { BiplaneError } from "@biplane/core";
import type { Principal } from "@biplane/core";
import { storable } from "../../store/storable.ts";
import type { Approval, ApprovalAnswer, StandingDecision } from "./approval.ts";

/** People cannot answer their own calls. */
export function mayAnswer({ id, principal }: Approval, by: Principal): void {
  if (principal.kind !== by.kind || principal.id !== by.id) return;
  throw new BiplaneError("FORBIDDEN", `You cannot answer your own call. Another person must answer approval ${id}.`);
}

/** One person cannot answer for the others from now on. */
export function mayLast({ id, approvers }: Approval): void {
  if (approvers === undefined) return;
  throw new BiplaneError(
    "INVALID_INPUT",
    `Approval ${id} needs ${approvers} people, so it cannot become a standing approval. Approve it once.`,
  );
}

/** A rejection has a reason, and an approval may have a comment. */
export function checkedAnswer(answer: ApprovalAnswer | StandingDecision): {
  verdict: "approve" | "reject";
  reason?: string;
} {
  if (answer.verdict === "approve") {
    const comment = ("comment" in answer ? (answer.comment ?? "") : "").trim().slice(0, 1000);
    return { verdict: "approve", ...(comment !== "" && { reason: storable(comment) }) };
  }
  const reason = answer.reason.trim().slice(0, 1000);
  if (reason === "") throw new BiplaneError("INVALID_INPUT", "A rejection needs a reason. The caller receives it.");
  return { verdict: "reject", reason: storable(reason) };
}
