import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";

export function StatusBadge({ status }: { readonly status: Approval["status"] }): JSX.Element {
  const [tone, title] = styles[status];
  return (
    <Badge tone={tone} dot title={title}>
      {status}
    </Badge>
  );
}

const styles: { readonly [Status in Approval["status"]]: readonly [tone: Tone, title: string] } = {
  waiting: ["warn", "Not answered yet"],
  approved: ["good", "Approved. The caller has not retried yet."],
  used: ["accent", "Approved, and the call ran."],
  rejected: ["bad", "Rejected by a person."],
  expired: ["plain", "Not answered in time, or the caller did not retry."],
};
