import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { PersonalToken } from "../../../../src/admin/people/personal-tokens.ts";
import { ask, segment } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { Card } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { toast } from "../../components/toast.tsx";
import { usePages } from "../../pages.ts";
import { NewToken } from "./new-token.tsx";

/** Tokens for programs that act for oneself. */
export function Tokens(): JSX.Element {
  const pages = usePages("/api/tokens", "tokens");
  const [isMaking, setMaking] = useState(false);
  const [revoked, setRevoked] = useState<PersonalToken>();
  const revoke = async ({ id }: PersonalToken) => {
    await ask(`DELETE /api/tokens/${segment(id)}`);
    toast("The token is revoked");
    setRevoked(undefined);
    pages.reload();
  };
  return (
    <Card
      title="Your tokens"
      isFlush
      actions={
        <Button size="small" icon="plus" onClick={() => setMaking(true)}>
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
          <Empty title="You have no tokens" icon="secrets">
            A token lets a program use the people's API in your name, with what you may do.
          </Empty>
        }
      />
      {isMaking && <NewToken onMade={pages.reload} onClose={() => setMaking(false)} />}
      {revoked && (
        <Confirm
          title="Take the token back?"
          action="Revoke"
          run={() => revoke(revoked)}
          onClose={() => setRevoked(undefined)}
        >
          Whatever uses “<Text value={revoked.label === "" ? revoked.id : revoked.label} most={100} />” is refused from
          now on.
        </Confirm>
      )}
    </Card>
  );
}

function columnsFor(onRevoke: (token: PersonalToken) => void): readonly Column<PersonalToken>[] {
  return [
    {
      title: "For",
      cell: ({ label, id }) =>
        label === "" ? (
          <span class="mono muted">
            <Text value={id} isFixed />
          </span>
        ) : (
          <Text value={label} most={100} isFixed />
        ),
    },
    { title: "Made", cell: ({ createdAt }) => <Time at={createdAt} />, width: "7rem", align: "end", isWide: true },
    {
      title: "Ends",
      cell: ({ expiresAt }) => (Date.parse(expiresAt) <= Date.now() ? <Badge>over</Badge> : <Time at={expiresAt} />),
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
