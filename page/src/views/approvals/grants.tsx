import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Grant } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { mayUse } from "../../access.ts";
import { callApi } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { Search } from "../../components/field.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { toast } from "../../components/toast.tsx";
import { usePagedList } from "../../paged-list.ts";
import { pageLocation, setQuery } from "../../router.ts";
import { PrincipalName } from "./caller.tsx";
import { GrantDrawer, grantSentence, describeGrant } from "./grant-drawer.tsx";
import { personName } from "./person-name.ts";
import { useFiltered } from "./use-filtered.ts";

/** The standing approvals, with a way to revoke them. */
export function Grants(): JSX.Element {
  const { query = "" } = pageLocation.value.query;
  const pages = usePagedList("/api/grants", "grants", {});
  const list = useFiltered(pages, (grant) => isAbout(grant, query));
  const [opened, setOpened] = useState<Grant>();
  const [revoked, setRevoked] = useState<Grant>();
  const mayRevoke = mayUse("approvals");
  const revoke = async ({ id }: Grant) => {
    await callApi("DELETE /api/grants/:id", { id });
    toast("Revoked. Matching calls need approval again.");
    setRevoked(undefined);
    setOpened(undefined);
    pages.reload();
  };
  return (
    <div class="stack-tight">
      <div class="toolbar">
        <Search label="Search tool, caller or pattern" value={query} onInput={(text) => setQuery({ query: text })} />
        <Button kind="quiet" icon="refresh" label="Reload" onClick={pages.reload} />
      </div>
      <Table
        label="Standing approvals"
        list={list}
        keyOf={({ id }) => id}
        onOpen={setOpened}
        columns={columnsFor(mayRevoke ? setRevoked : undefined)}
        empty={
          query === "" ? (
            <Empty title="No standing approvals" icon="approvals">
              Calls that you approve always or by pattern are listed here until you revoke them.
            </Empty>
          ) : (
            <Empty title="No matching standing approvals" icon="search" />
          )
        }
      />
      {opened && (
        <GrantDrawer
          grant={opened}
          onRevoke={mayRevoke ? () => setRevoked(opened) : undefined}
          onClose={() => setOpened(undefined)}
        />
      )}
      {revoked && (
        <Confirm
          title="Revoke this standing approval?"
          action="Revoke"
          run={() => revoke(revoked)}
          onClose={() => setRevoked(undefined)}
        >
          These calls will need approval again: <Text value={describeGrant(revoked)} maxLength={400} />.
        </Confirm>
      )}
    </div>
  );
}

function columnsFor(onRevoke: ((grant: Grant) => void) | undefined): readonly Column<Grant>[] {
  return [
    {
      title: "Covers",
      cell: (grant) => <Text value={grantSentence(grant)} maxLength={300} isFixed />,
      isWrapped: true,
    },
    {
      title: "Server",
      cell: ({ server }) => <Text value={server} maxLength={60} isFixed />,
      width: "8rem",
      isWide: true,
    },
    {
      title: "Applies to",
      cell: ({ principal }) =>
        principal ? <PrincipalName principal={principal} /> : <Badge tone="warn">everyone</Badge>,
      width: "11rem",
      isWide: true,
    },
    {
      title: "Granted by",
      cell: ({ grantedBy }) => <Text value={personName(grantedBy)} maxLength={60} isFixed />,
      width: "9rem",
      isWide: true,
    },
    { title: "Granted", cell: ({ grantedAt }) => <Time at={grantedAt} />, width: "7.5rem", align: "end", isWide: true },
    ...(onRevoke
      ? [
          {
            title: "Revoke",
            cell: (grant: Grant) => (
              <Button size="small" kind="bad" onClick={() => onRevoke(grant)}>
                Revoke
              </Button>
            ),
            width: "7rem",
            align: "end" as const,
          },
        ]
      : []),
  ];
}

function isAbout(grant: Grant, query: string): boolean {
  return query === "" || JSON.stringify(grant).toLowerCase().includes(query.toLowerCase());
}
