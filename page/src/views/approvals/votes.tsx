import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Badge } from "../../components/badge.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";

/** How many of the people that it needs have approved a call. */
export function VoteCount({ approval }: { readonly approval: Approval }): JSX.Element | null {
  const { approvers, votes = [] } = approval;
  if (approvers === undefined) return null;
  return (
    <Badge tone="warn" title={`${approvers} different people must approve`}>
      {votes.length === 0 ? `needs ${approvers} people` : `${votes.length} of ${approvers} approved`}
    </Badge>
  );
}

/** What the button that approves says: one click is not enough for a call that needs several people. */
export function approveTitle({ approvers, votes = [] }: Approval): string {
  return approvers === undefined ? "Approve once" : `Approve (${votes.length + 1} of ${approvers})`;
}

/** Who has approved a call that needs several people. */
export function Votes({ approval }: { readonly approval: Approval }): JSX.Element | null {
  const { approvers, votes = [] } = approval;
  if (approvers === undefined) return null;
  return (
    <div class="approvals-votes">
      <p>
        {approvers} different people must approve this call. {votes.length === 0 && "Nobody has yet."}
      </p>
      <ul>
        {votes.map(({ by, at, comment }) => (
          <li key={by}>
            <Text value={by} maxLength={80} isFixed class="strong" />{" "}
            <span class="muted">
              approved <Time at={at} />
            </span>
            {comment !== undefined && (
              <div>
                “<Text value={comment} maxLength={1000} />”
              </div>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
