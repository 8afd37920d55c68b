import type { JSX } from "preact";
import type { ProcessSummary } from "../../../../packages/biplane/src/admin/fleet/fleet-api.ts";
import { Badge } from "../../components/badge.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { useReload } from "../../use-reload.ts";

/** The servers and workers on the same database. Shows nothing if this process is the only one. */
export function FleetTable(): JSX.Element | null {
  const { data, reload } = useResource("/api/fleet", {}, { isCached: true });
  useReload(reload, 3000);
  const processes = data?.processes ?? [];
  if (processes.length === 0) return null;
  return (
    <section class="stack-tight">
      <h2>Processes</h2>
      <Table label="Processes on this database" list={{ items: processes }} columns={columns} keyOf={({ id }) => id} />
    </section>
  );
}

const columns: readonly Column<ProcessSummary>[] = [
  {
    title: "Machine",
    cell: ({ name, isThis }) => (
      <span class="strong row">
        <Text value={name} maxLength={60} isFixed /> {isThis && <Badge tone="accent">this one</Badge>}
      </span>
    ),
  },
  { title: "Kind", cell: ({ kind }) => kind, width: "6rem" },
  {
    title: "Version",
    cell: ({ version }) => <Text value={version} maxLength={20} isFixed />,
    width: "7rem",
    isWide: true,
  },
  {
    title: "Address",
    cell: ({ address }) => (address === null ? "–" : <Text value={address} maxLength={60} isFixed />),
    width: "14rem",
    isWide: true,
  },
  { title: "Started", cell: ({ startedAt }) => <Time at={startedAt} />, width: "8rem", isWide: true },
  { title: "Episodes", cell: ({ load }) => figure(load["episodes"]), width: "6rem" },
  { title: "Sessions", cell: ({ load }) => figure(load["sessions"]), width: "6rem", isWide: true },
  { title: "Lag", cell: ({ load }) => figure(load["lagMs"], " ms"), width: "6rem" },
  { title: "Memory", cell: ({ load }) => figure(load["memoryMb"], " MB"), width: "7rem", isWide: true },
];

function figure(value: number | undefined, unit = ""): string {
  return value === undefined ? "–" : `${count(value)}${unit}`;
}
