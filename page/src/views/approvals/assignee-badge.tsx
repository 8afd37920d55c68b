import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Badge } from "../../components/badge.tsx";
import { Icon } from "../../components/icon.tsx";
import { Text } from "../../components/text.tsx";

/** The person who should answer a waiting call, if there is one. */
export function AssigneeBadge({ approval: { assignee } }: { readonly approval: Approval }): JSX.Element | null {
  if (assignee === undefined) return null;
  return (
    <Badge tone="accent" title="The person who should answer">
      <Icon name="person" size={11} /> assigned to <Text value={assignee} maxLength={40} isFixed />
    </Badge>
  );
}
