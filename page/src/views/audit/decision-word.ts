import { outcomeKind } from "../../../../packages/biplane/src/admin/calls/outcome-kind.ts";
import type { AuditCall } from "../../../../packages/biplane/src/governance/audit/write-line.ts";

/** The decision in the words of the other views: `refused` stands for a call that was not valid, or for a limit. */
export function decisionWord({ decision, outcome }: Pick<AuditCall, "decision" | "outcome">): string {
  return decision === "refused" ? outcomeKind(outcome) : decision;
}
