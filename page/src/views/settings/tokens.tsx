import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { PersonalToken } from "../../../../packages/biplane/src/governance/people/personal-tokens.ts";
import { callApi } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { Card } from "../../components/page.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { usePagedList } from "../../paged-list.ts";
import { NewToken } from "./new-token.tsx";

/** The user's tokens for programs. */
export function Tokens(): JSX.Element {
  const pages = usePagedList("/api/tokens", "tokens", {});
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<PersonalToken>();
  return (
    <Card
      title="Your tokens"
      isFlush
      actions={
        <Button size="small" icon="plus" onClick={() => setCreating(true)}>
          New token
        </Button>
      }
    >
      <Table
        label="Your tokens"
        list={pages}
        keyOf={({ id }) => id}
        columns={columnsFor(setRevoked)}
        empty={
          <p class="settings-none">
            <b>You have no tokens.</b>{" "}
            <span class="muted">A token lets a program use the admin API as you, with your role.</span>
          </p>
        }
      />
      {isCreating && <NewToken onMade={pages.reload} onClose={() => setCreating(false)} />}
      {revoked && (
        <Confirm
          title="Revoke this token?"
          action="Revoke"
          run={() => callApi("DELETE /api/tokens/:id", { id: revoked.id })}
          done="Token revoked."
          onDone={pages.reload}
          onClose={() => setRevoked(undefined)}
        >
          Requests with the token “<Text value={revoked.label === "" ? revoked.id : revoked.label} maxLength={100} />”
          will be refused.
        </Confirm>
      )}
    </Card>
  );
}

function columnsFor(onRevoke: (token: PersonalToken) => void): readonly Column<PersonalToken>[] {
  return [
    {
      title: "Label",
      cell: ({ label, id }) =>
        label === "" ? (
          <Text value={id} isFixed isMono class="muted" />
        ) : (
          <Text value={label} maxLength={100} isFixed />
        ),
    },
    { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} />, width: "7rem", align: "end", isWide: true },
    {
      title: "Expires",
      cell: ({ expiresAt }) => (Date.parse(expiresAt) <= Date.now() ? <Badge>expired</Badge> : <Time at={expiresAt} />),
      width: "7rem",
      align: "end",
    },
    {
      title: "Revoke",
      cell: (token) => (
        <Button size="small" kind="bad" onClick={() => onRevoke(token)}>
          Revoke
        </Button>
      ),
      width: "7rem",
      align: "end",
    },
  ];
}
