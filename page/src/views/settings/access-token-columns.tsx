import type { JSX } from "preact";
import type { StoredToken } from "../../../../packages/biplane/src/governance/access/stored-tokens.ts";
import { Badge } from "../../components/badge.tsx";
import { Icon } from "../../components/icon.tsx";
import { Menu } from "../../components/menu.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import type { ListItem } from "../../paged-list.ts";
import { personName } from "../approvals/person-name.ts";
import { shownText } from "../approvals/shown-text.ts";

type Configured = ListItem<"/api/access-tokens", "configured">;

export function tokenColumns(
  onAction: (kind: "rotate" | "revoke" | "scopes", token: StoredToken) => void,
): readonly Column<StoredToken>[] {
  return [
    ...identity,
    {
      title: "Last used",
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? <span class="muted">never used</span> : <Time at={lastUsedAt} />,
      width: "6.5rem",
      align: "end",
    },
    {
      title: "Created",
      cell: ({ createdAt, rotatedAt, previousUntil }) => (
        <>
          {previousUntil !== null && (
            <Badge tone="warn" title={`The secret before is accepted until ${previousUntil}`}>
              two valid
            </Badge>
          )}{" "}
          <Time at={rotatedAt ?? createdAt} />
        </>
      ),
      width: "10rem",
      align: "end",
      isWide: true,
    },
    {
      title: "Created by",
      cell: ({ createdBy }) => <Text value={personName(createdBy)} maxLength={60} isFixed />,
      width: "10rem",
      isRoomy: true,
    },
    expiry,
    {
      title: "Actions",
      cell: (token) => (
        <Menu
          label={`Actions for ${shownText(token.principal, 40)}`}
          class="button button-quiet button-small button-icon"
          items={[
            { title: "Change scopes…", icon: "settings", run: () => onAction("scopes", token) },
            { title: "Rotate…", icon: "refresh", run: () => onAction("rotate", token) },
            { title: "Revoke…", icon: "trash", isBad: true, run: () => onAction("revoke", token) },
          ]}
        >
          <Icon name="more" />
        </Menu>
      ),
      width: "4.5rem",
      align: "end",
    },
  ];
}

const identity: readonly Column<Configured>[] = [
  {
    title: "Name",
    cell: ({ principal, kind }) => (
      <>
        <Text value={principal} maxLength={80} isFixed class="strong" />{" "}
        {kind === "trainer" && <Badge tone="info">trainer</Badge>}
      </>
    ),
    under: ({ scopes, expiresAt }) => (
      <span class="row-facts">
        <span>{scopes.length === 0 ? "no scopes" : <ScopeList scopes={scopes} />}</span>
        <span>
          <Expiry at={expiresAt} />
        </span>
      </span>
    ),
    isWrapped: true,
  },
  { title: "Scopes", cell: ({ scopes }) => <ScopeList scopes={scopes} />, isWide: true, isWrapped: true },
];

const expiry: Column<Configured> = {
  title: "Expires",
  cell: ({ expiresAt }) => {
    if (expiresAt === null) return <span class="muted">never</span>;
    return isExpired({ expiresAt }) ? <Expiry at={expiresAt} /> : <Time at={expiresAt} />;
  },
  width: "9.5rem",
  align: "end",
  isWide: true,
};

export function isExpired({ expiresAt }: Pick<Configured, "expiresAt">): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now();
}

export const configuredColumns: readonly Column<Configured>[] = [...identity, expiry];

function Expiry({ at }: { readonly at: string | null }): JSX.Element {
  if (at === null) return <>no expiry</>;
  const isOver = isExpired({ expiresAt: at });
  return (
    <span class={isOver ? "text-bad" : undefined}>
      {isOver ? "expired" : "expires"} <Time at={at} />
    </span>
  );
}

function ScopeList({ scopes }: { readonly scopes: readonly string[] }): JSX.Element {
  if (scopes.length === 0) return <span class="muted">none</span>;
  return (
    <span class="settings-scopes">
      {scopes.map((scope) => (
        <Badge key={scope}>
          <Text value={scope} maxLength={40} isFixed />
        </Badge>
      ))}
    </span>
  );
}
