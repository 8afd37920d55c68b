import type { ShownConnection } from "../../../../src/desk/contract.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { href } from "../../router.ts";
import { Proven } from "../approvals/caller.tsx";

export function columnsFor(onClose: (connection: ShownConnection) => void): readonly Column<ShownConnection>[] {
  return [
    {
      title: "Client",
      cell: ({ client }) => (
        <span class="strong">
          <Text value={client === "" ? "a client without a name" : client} most={80} isFixed />
        </span>
      ),
    },
    { title: "Server", cell: ({ server }) => <Text value={server} most={60} isFixed />, width: "7rem", isWide: true },
    { title: "Caller", cell: ({ principal }) => <Proven principal={principal} />, width: "11rem", isWide: true },
    {
      title: "Protocol",
      cell: ({ version }) => <Text value={version} most={20} isFixed />,
      width: "7rem",
      isWide: true,
    },
    {
      title: "Episode",
      cell: ({ episode }) =>
        episode === null ? (
          <span class="muted">–</span>
        ) : (
          <a class="mono" href={href("episodes", [episode])}>
            <Text value={episode} most={12} isFixed />
          </a>
        ),
      width: "6rem",
      isWide: true,
    },
    { title: "Opened", cell: ({ openedAt }) => <Time at={openedAt} />, width: "6.5rem", align: "end", isWide: true },
    { title: "Last used", cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />, width: "6.5rem", align: "end" },
    {
      title: "End",
      cell: (connection) => (
        <Button size="small" kind="bad" onClick={() => onClose(connection)}>
          End…
        </Button>
      ),
      width: "5rem",
      align: "end",
    },
  ];
}
