import type { JSX } from "preact";
import { Badge, Outcome } from "../../components/badge.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Duration, Time } from "../../components/time.tsx";
import { plural } from "../../format.ts";
import type { Lists } from "../../pages.ts";
import { Proven } from "../approvals/caller.tsx";

export type Line = Lists["lines"];

export const columns: readonly Column<Line>[] = [
  { title: "What", cell: (line) => <What line={line} /> },
  {
    title: "Who",
    cell: (line) => line.kind === "call" && <Proven principal={line.principal} />,
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
    title: "Took",
    cell: (line) => line.kind === "call" && <Duration ms={line.durationMs} />,
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

function What({ line }: { readonly line: Line }): JSX.Element {
  if (line.kind !== "call") return <span class="text-bad">{plural(line.count, "line")} could not be kept</span>;
  return (
    <>
      <span class="mono">
        <Text value={line.tool} most={80} isFixed />
      </span>
      <span class="small muted audit-under">
        <Proven principal={line.principal} /> · <Time at={line.time} />
      </span>
      {line.message !== undefined && (
        <span class="muted audit-message">
          <Text value={line.message} most={160} isFixed />
        </span>
      )}
    </>
  );
}
