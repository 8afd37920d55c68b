import type { JSX } from "preact";
import type { OpenedScript } from "../../../../src/desk/contract.ts";
import { Badge } from "../../components/badge.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { ShortHash } from "../approvals/short-hash.tsx";

type Decision = OpenedScript["history"][number];

/** Who decided what about which bytes, the newest first. */
export function ScriptHistory(props: { readonly history: readonly Decision[]; readonly current: string }): JSX.Element {
  const { history, current } = props;
  return (
    <Table
      label="Decisions"
      list={{ items: history }}
      keyOf={({ hash, verdict, by, at }) => `${at} ${verdict} ${hash} ${by}`}
      columns={columnsFor(current)}
      empty={
        <Empty title="Nobody has decided about it yet" icon="approvals">
          Read the source, try it, and approve or reject it.
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
          <Text value={verdict} most={20} isFixed />
        </Badge>
      ),
      width: "7rem",
    },
    { title: "By", cell: ({ by }) => <Text value={by} most={60} isFixed /> },
    {
      title: "Bytes",
      cell: ({ hash }) => (
        <>
          <ShortHash hash={hash} what="hash" /> {hash === current && <Badge>as it is now</Badge>}
        </>
      ),
      isWide: true,
    },
    { title: "When", cell: ({ at }) => <Time at={at} />, width: "7rem", align: "end" },
  ];
}
