import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";
import { isUnused } from "./is-unused.ts";

export function StatusBadge({ approval }: { readonly approval: Approval }): JSX.Element {
  const { status } = approval;
  const [tone, title] = styles[status];
  if (approval.grant !== undefined)
    return (
      <Badge tone="good" dot title="Approved for later calls too. See Standing approvals.">
        {status === "used" ? "always approved, ran" : "always approved"}
      </Badge>
    );
  if (isUnused(approval))
    return (
      <Badge tone={tone} dot title="Approved. The caller did not retry in time.">
        unused
      </Badge>
    );
  return (
    <Badge tone={tone} dot title={title}>
      {labels[status] ?? status}
    </Badge>
  );
}

/** Where the word of the API says too little. */
const labels: { readonly [Status in Approval["status"]]?: string } = { used: "approved, ran" };

const styles: { readonly [Status in Approval["status"]]: readonly [tone: Tone, title: string] } = {
  waiting: ["warn", "Not answered yet"],
  approved: ["accent", "Approved. The caller has not retried yet."],
  used: ["good", "Approved, and the call ran."],
  rejected: ["bad", "Rejected by a person."],
  expired: ["plain", "Not answered in time."],
};
