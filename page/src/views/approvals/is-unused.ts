import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";

/** True if a person approved the call, but the caller did not retry before the approval expired. */
export function isUnused({ status, answeredBy }: Pick<Approval, "status" | "answeredBy">): boolean {
  return status === "expired" && answeredBy !== undefined;
}
