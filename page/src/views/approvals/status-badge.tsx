import type { JSX } from "preact";
import type { Approval } from "../../../../src/admin/approvals/approval.ts";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";

export function StatusBadge({ status }: { readonly status: Approval["status"] }): JSX.Element {
  const [tone, title] = looks[status];
  return (
    <Badge tone={tone} dot title={title}>
      {status}
    </Badge>
  );
}

const looks: { readonly [Status in Approval["status"]]: readonly [tone: Tone, title: string] } = {
  waiting: ["warn", "Nobody has answered yet"],
  approved: ["good", "Somebody said yes; the call has not come for it yet"],
  used: ["good", "Somebody said yes, and the call went through"],
  rejected: ["bad", "Somebody said no"],
  expired: ["plain", "Nobody answered in time, or nobody came for the answer"],
};
