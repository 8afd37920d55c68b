import type { JSX } from "preact";
import { Badge, Outcome } from "../../components/badge.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { CallDuration, Time } from "../../components/time.tsx";
import { plural } from "../../format.ts";
import type { ListItem } from "../../paged-list.ts";
import { PrincipalName } from "../approvals/caller.tsx";

export type AuditRow = ListItem<"/api/audit", "lines">;

export const columns: readonly Column<AuditRow>[] = [
  { title: "Call", cell: (line) => <CallCell line={line} /> },
  {
    title: "Caller",
    cell: (line) => line.kind === "call" && <PrincipalName principal={line.principal} />,
    width: "13rem",
    isWide: true,
  },
  {
    title: "Decision",
    cell: (line) => line.kind === "call" && <span class="muted">{line.decision}</span>,
    width: "6.5rem",
    isWide: true,
  },
  {
    title: "Outcome",
    cell: (line) => (line.kind === "call" ? <Outcome value={line.outcome} /> : <Badge tone="bad">lost</Badge>),
    width: "9rem",
  },
  {
    title: "Duration",
    cell: (line) => line.kind === "call" && <CallDuration call={line} />,
    width: "5.5rem",
    align: "end",
    isWide: true,
  },
  {
    title: "Hash",
    cell: ({ hash }) => (
      <span class="mono muted" title={hash}>
        <Text value={hash.slice(0, 8)} isFixed />
      </span>
    ),
    width: "6rem",
    isWide: true,
  },
  { title: "When", cell: ({ time }) => <Time at={time} />, width: "6.5rem", align: "end", isWide: true },
];

function CallCell({ line }: { readonly line: AuditRow }): JSX.Element {
  if (line.kind !== "call")
    return <span class="text-bad">{plural(line.count, "entry", "entries")} could not be stored</span>;
  return (
    <>
      <span class="mono">
        <Text value={line.tool} maxLength={80} isFixed />
      </span>
      <span class="small muted audit-under">
        <PrincipalName principal={line.principal} /> · <Time at={line.time} />
      </span>
      {line.message !== undefined && (
        <span class="muted audit-message">
          <Text value={line.message} maxLength={160} isFixed />
        </span>
      )}
    </>
  );
}
