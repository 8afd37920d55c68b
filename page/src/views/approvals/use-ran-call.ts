import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { mayOpen } from "../../access.ts";
import { comparableJson } from "../../components/line-diff.ts";
import type { ListItem } from "../../paged-list.ts";
import { useResource } from "../../resource.ts";

type AuditRow = ListItem<"/api/audit", "lines">;

export interface Ran {
  /** The call in the audit log: the first one with the approved input after the answer. */
  readonly line: (AuditRow & { readonly kind: "call" }) | undefined;
  readonly isLoading: boolean;
}

/** How the call that used an approval ended. */
export function useRanCall(approval: Approval | undefined): Ran {
  const query = approval?.status === "used" && mayOpen("audit") ? { ...auditFilterOf(approval), ...oldest } : undefined;
  const log = useResource("/api/audit", query && { query: { ...query, since: approval?.answeredAt } });
  const wanted = comparableJson(approval?.input);
  const line = log.data?.lines.find((each) => each.kind === "call" && comparableJson(each.input) === wanted);
  return { line: line?.kind === "call" ? line : undefined, isLoading: !log.data && log.isLoading };
}

/** The approved calls of the same tool and caller, in the audit log. */
export function auditFilterOf({ tool, principal }: Approval) {
  return { tool, principal: principal.id, decision: "approved" } as const;
}

const oldest = { order: "oldest", limit: 20 } as const;
