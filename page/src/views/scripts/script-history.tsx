import type { JSX } from "preact";
import type { ScriptDetail } from "../../../../packages/biplane/src/admin/scripts/script-api.ts";
import { Badge } from "../../components/badge.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { ShortHash } from "../approvals/short-hash.tsx";

type Decision = ScriptDetail["history"][number];

/** The decisions about all versions, newest first. */
export function ScriptHistory(props: { readonly history: readonly Decision[]; readonly current: string }): JSX.Element {
  const { history, current } = props;
  return (
    <Table
      label="Decisions"
      list={{ items: history }}
      keyOf={({ hash, verdict, by, at }) => `${at} ${verdict} ${hash} ${by}`}
      columns={columnsFor(current)}
      empty={
        <Empty title="No decisions yet" icon="approvals">
          Review the source, try a dry run, then approve or reject this version.
        </Empty>
      }
    />
  );
}

function columnsFor(current: string): readonly Column<Decision>[] {
  return [
    {
      title: "Decision",
      cell: ({ verdict }) => (
        <Badge tone={verdict === "approved" ? "good" : "bad"} dot>
          <Text value={verdict} maxLength={20} isFixed />
        </Badge>
      ),
      width: "7rem",
    },
    { title: "By", cell: ({ by }) => <Text value={by} maxLength={60} isFixed /> },
    {
      title: "Version",
      cell: ({ hash }) => (
        <>
          <ShortHash hash={hash} what="hash" /> {hash === current && <Badge>current</Badge>}
        </>
      ),
      isWide: true,
    },
    { title: "When", cell: ({ at }) => <Time at={at} />, width: "7rem", align: "end" },
  ];
}
