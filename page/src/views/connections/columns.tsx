import type { ConnectionSummary } from "../../../../packages/biplane/src/admin/overview/connection-api.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { ViewLink } from "../../components/view-link.tsx";
import { PrincipalName } from "../approvals/caller.tsx";

/** `onClose` is undefined for people who may not end sessions. */
export function columnsFor(options: {
  readonly hasSeveralServers: boolean;
  readonly onClose: ((connection: ConnectionSummary) => void) | undefined;
}): readonly (Column<ConnectionSummary> | false)[] {
  const { hasSeveralServers, onClose } = options;
  return [
    {
      title: "Agent",
      about: "The name that it gives itself",
      cell: ({ client }) => <Text value={client === "" ? "unnamed" : client} maxLength={80} isFixed class="strong" />,
      under: ({ server, principal }) => (
        <>
          {hasSeveralServers && (
            <>
              <Text value={server} maxLength={60} isFixed /> ·{" "}
            </>
          )}
          <PrincipalName principal={principal} />
        </>
      ),
    },
    hasSeveralServers && {
      title: "Server",
      cell: ({ server }) => <Text value={server} maxLength={60} isFixed />,
      width: "7rem",
      isWide: true,
    },
    {
      title: "Caller",
      about: "The token, person or address that it calls as",
      cell: ({ principal }) => <PrincipalName principal={principal} />,
      isWide: true,
    },
    {
      title: "Protocol",
      cell: ({ version }) => <Text value={version} maxLength={20} isFixed />,
      width: "7rem",
      isWide: true,
    },
    {
      title: "Episode",
      cell: ({ episode }) =>
        episode === null ? (
          <span class="muted">–</span>
        ) : (
          <ViewLink route="episodes" path={[episode]} class="mono">
            <Text value={episode} maxLength={12} isFixed />
          </ViewLink>
        ),
      width: "6rem",
      isWide: true,
    },
    { title: "Opened", cell: ({ openedAt }) => <Time at={openedAt} />, width: "6.5rem", align: "end", isWide: true },
    { title: "Last used", cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />, width: "6.5rem", align: "end" },
    onClose !== undefined && {
      title: "End",
      cell: (connection) => (
        <Button size="small" kind="bad" onClick={() => onClose(connection)}>
          End…
        </Button>
      ),
      width: "5.75rem",
      align: "end",
    },
  ];
}
