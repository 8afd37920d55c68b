import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Grant } from "../../../../src/admin/approvals/approval.ts";
import { ask, segment } from "../../api.ts";
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
import { usePages } from "../../pages.ts";
import { place, setQuery } from "../../router.ts";
import { Proven } from "./caller.tsx";
import { GrantDrawer, grantSentence, grantWords } from "./grant-drawer.tsx";
import { useFiltered } from "./use-filtered.ts";

/** What was approved for good, to look at and to take back. */
export function Grants(): JSX.Element {
  const { query = "" } = place.value.query;
  const pages = usePages("/api/grants", "grants");
  const list = useFiltered(pages, (grant) => isAbout(grant, query));
  const [opened, setOpened] = useState<Grant>();
  const [revoked, setRevoked] = useState<Grant>();
  const revoke = async ({ id }: Grant) => {
    await ask(`DELETE /api/grants/${segment(id)}`);
    toast("Taken back: such calls ask again");
    setRevoked(undefined);
    setOpened(undefined);
    pages.reload();
  };
  return (
    <div class="stack-tight">
      <div class="toolbar">
        <Search label="Tool, caller or pattern" value={query} onInput={(text) => setQuery({ query: text })} />
        <Button kind="quiet" icon="refresh" label="Reload" onClick={pages.reload} />
      </div>
      <Table
        label="Standing approvals"
        list={list}
        keyOf={({ id }) => id}
        onOpen={setOpened}
        columns={columnsFor(setRevoked)}
        empty={
          query === "" ? (
            <Empty title="Nothing is approved for good" icon="approvals">
              When you approve a call always, or by a pattern, it stands here until you revoke it.
            </Empty>
          ) : (
            <Empty title="No standing approval fits" icon="search" />
          )
        }
      />
      {opened && (
        <GrantDrawer grant={opened} onRevoke={() => setRevoked(opened)} onClose={() => setOpened(undefined)} />
      )}
      {revoked && (
        <Confirm title="Revoke it?" action="Revoke" run={() => revoke(revoked)} onClose={() => setRevoked(undefined)}>
          From now on such calls ask again: <Text value={grantWords(revoked)} most={400} />.
        </Confirm>
      )}
    </div>
  );
}

function columnsFor(onRevoke: (grant: Grant) => void): readonly Column<Grant>[] {
  return [
    { title: "Covers", cell: (grant) => <Text value={grantSentence(grant)} most={300} isFixed />, isWrapped: true },
    { title: "Server", cell: ({ server }) => <Text value={server} most={60} isFixed />, width: "8rem", isWide: true },
    {
      title: "For",
      cell: ({ principal }) => (principal ? <Proven principal={principal} /> : <Badge tone="warn">everyone</Badge>),
      width: "11rem",
      isWide: true,
    },
    {
      title: "By",
      cell: ({ grantedBy }) => <Text value={grantedBy} most={60} isFixed />,
      width: "9rem",
      isWide: true,
    },
    { title: "Since", cell: ({ grantedAt }) => <Time at={grantedAt} />, width: "6.5rem", align: "end", isWide: true },
    {
      title: "Revoke",
      cell: (grant) => (
        <Button size="small" kind="bad" onClick={() => onRevoke(grant)}>
          Revoke
        </Button>
      ),
      width: "7rem",
      align: "end",
    },
  ];
}

function isAbout(grant: Grant, query: string): boolean {
  return query === "" || JSON.stringify(grant).toLowerCase().includes(query.toLowerCase());
}
