import type { JSX } from "preact";
import type { Invitation } from "../../../../packages/biplane/src/governance/people/invitations.ts";
import { callApi } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/page.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { toast, toastProblem } from "../../components/toast.tsx";
import type { Resource } from "../../resource.ts";
import { RoleBadge } from "./role-badge.tsx";

/** Invitation links that were not used yet. */
export function OpenInvitations({
  resource,
}: {
  readonly resource: Resource<{ readonly invitations: readonly Invitation[] }>;
}): JSX.Element | null {
  const items = resource.data?.invitations ?? [];
  if (items.length === 0) return null;
  const revoke = ({ id }: Invitation) =>
    void callApi("DELETE /api/invitations/:id", { id }).then(() => {
      toast("Invitation revoked.");
      resource.reload();
    }, toastProblem);
  return (
    <Card title="Open invitations" isFlush>
      <Table label="Open invitations" list={{ items }} keyOf={({ id }) => id} columns={columnsFor(revoke)} />
    </Card>
  );
}

function columnsFor(onRevoke: (invitation: Invitation) => void): readonly Column<Invitation>[] {
  return [
    {
      title: "For",
      cell: ({ note }) =>
        note === null ? <span class="muted">–</span> : <Text value={note} maxLength={100} isFixed />,
      under: (invitation) => (
        <span class="row-facts">
          <span>
            <RoleBadge access={invitation} />
          </span>
          <span>
            expires <Time at={invitation.expiresAt} />
          </span>
        </span>
      ),
      isWrapped: true,
    },
    { title: "Role", cell: (invitation) => <RoleBadge access={invitation} />, isWrapped: true, isWide: true },
    {
      title: "Invited by",
      cell: ({ invitedBy }) => <Text value={invitedBy} maxLength={64} isFixed />,
      width: "12rem",
      isWide: true,
    },
    { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} />, width: "7rem", align: "end", isWide: true },
    { title: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} />, width: "7rem", align: "end", isWide: true },
    {
      title: "Actions",
      cell: (invitation) => (
        <Button size="small" kind="bad" onClick={() => onRevoke(invitation)}>
          Revoke
        </Button>
      ),
      width: "7rem",
      align: "end",
    },
  ];
}
