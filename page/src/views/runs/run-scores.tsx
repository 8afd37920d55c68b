import type { JSX } from "preact";
import type { RunScoring } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { Card } from "../../components/page.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { count } from "../../format.ts";
import { MeanValue } from "./mean-value.tsx";

/** What scorers said about a run. Nothing, if none did. */
export function RunScores({ scorings }: { readonly scorings: readonly RunScoring[] }): JSX.Element | null {
  if (scorings.length === 0) return null;
  return (
    <Card title="Scores" isFlush>
      <Table label="Scores" list={{ items: scorings }} keyOf={({ name }) => name} columns={columns} />
    </Card>
  );
}

const columns: readonly Column<RunScoring>[] = [
  { title: "Name", cell: ({ name }) => <Text value={name} maxLength={80} isFixed /> },
  { title: "Scorer", cell: ({ scorer }) => <Text value={scorer} maxLength={80} isFixed />, isWide: true },
  {
    title: "Mean ± standard error",
    cell: ({ mean, standardError }) => <MeanValue mean={mean} standardError={standardError} />,
    width: "min(11.5rem, 46vw)",
    align: "end",
  },
  {
    title: "Rollouts",
    cell: ({ rollouts, masked }) => (masked === 0 ? count(rollouts) : `${count(rollouts)}, ${count(masked)} masked`),
    width: "9rem",
    align: "end",
    isWide: true,
  },
  { title: "Scored", cell: ({ scoredAt }) => <Time at={scoredAt} />, width: "6.5rem", align: "end" },
];
