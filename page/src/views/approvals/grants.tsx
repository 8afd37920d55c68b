import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { GrantSummary } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { mayUse } from "../../access.ts";
import { callApi } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button, LinkButton } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { Search } from "../../components/field.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { usePagedList } from "../../paged-list.ts";
import { href, pageLocation, setQuery } from "../../router.ts";
import { PrincipalName } from "./caller.tsx";
import { GrantDrawer, describeGrant } from "./grant-drawer.tsx";
import { grantParts } from "./grant-parts.ts";
import { personName } from "./person-name.ts";
import { useFiltered } from "./use-filtered.ts";
import { useOutdated } from "./use-outdated.ts";
import { useHasNoRules, WriteRule } from "./write-rule.tsx";

/** The standing approvals, with a way to revoke them. */
export function Grants(): JSX.Element {
  const { query = "" } = pageLocation.value.query;
  const pages = usePagedList("/api/grants", "grants", {});
  const list = useFiltered(pages, (grant) => isAbout(grant, query));
  const [opened, setOpened] = useState<GrantSummary>();
  const [revoked, setRevoked] = useState<GrantSummary>();
  const mayRevoke = mayUse("approvals");
  const isOutdated = useOutdated(pages.items);
  return (
    <div class="stack-tight">
      {(query !== "" || pages.isLoading || pages.items.length > 0) && (
        <div class="toolbar">
          <Search label="Search tool, caller or pattern" value={query} onInput={(text) => setQuery({ query: text })} />
          <Button kind="quiet" icon="refresh" label="Reload" onClick={pages.reload} />
        </div>
      )}
      <Table
        label="Standing approvals"
        // Rows do not change once they are shown.
        list={isOutdated ? list : { items: [], isLoading: true }}
        keyOf={({ id }) => id}
        onOpen={setOpened}
        columns={columnsFor({
          isOutdated: isOutdated ?? (() => false),
          hasSeveralServers: new Set(list.items.map(({ server }) => server)).size > 1,
          onRevoke: mayRevoke ? setRevoked : undefined,
        })}
        empty={query === "" ? <NoGrants /> : <Empty title="No matching standing approvals" icon="search" />}
      />
      {opened && (
        <GrantDrawer
          grant={opened}
          onRevoke={mayRevoke ? () => setRevoked(opened) : undefined}
          onClose={() => setOpened(undefined)}
        />
      )}
      {revoked && (
        <Confirm
          title="Revoke this standing approval?"
          action="Revoke"
          run={() => callApi("DELETE /api/grants/:id", { id: revoked.id })}
          done="Revoked. Matching calls need approval again."
          onDone={() => {
            setOpened(undefined);
            pages.reload();
          }}
          onClose={() => setRevoked(undefined)}
        >
          These calls will need approval again: <Text value={describeGrant(revoked)} maxLength={400} />.
        </Confirm>
      )}
    </div>
  );
}

function columnsFor(options: {
  readonly isOutdated: (grant: GrantSummary) => boolean;
  readonly hasSeveralServers: boolean;
  readonly onRevoke: ((grant: GrantSummary) => void) | undefined;
}): readonly (Column<GrantSummary> | false)[] {
  const { isOutdated, hasSeveralServers, onRevoke } = options;
  return [
    {
      title: "Approved calls",
      cell: (grant) => <Covered grant={grant} isOutdated={isOutdated(grant)} />,
      under: (grant) => (
        <span class="row-facts">
          <span>
            for <Applies grant={grant} />
          </span>
          <span>
            by <Text value={personName(grant.grantedBy)} maxLength={60} isFixed />, <Time at={grant.grantedAt} />
          </span>
        </span>
      ),
      isWrapped: true,
    },
    hasSeveralServers && {
      title: "Server",
      cell: ({ server }) => <Text value={server} maxLength={60} isFixed />,
      width: "8rem",
      isRoomy: true,
    },
    {
      title: "Applies to",
      cell: (grant) => <Applies grant={grant} />,
      width: "max(11rem, 14vw)",
      isWide: true,
      isWrapped: true,
    },
    {
      title: "Granted by",
      cell: ({ grantedBy }) => <Text value={personName(grantedBy)} maxLength={60} isFixed />,
      width: "max(7rem, 10vw)",
      isWide: true,
    },
    {
      title: "Granted",
      cell: ({ grantedAt }) => <Time at={grantedAt} />,
      width: "max(7.5rem, 10vw)",
      align: "end",
      isWide: true,
    },
    onRevoke !== undefined && {
      title: "Revoke",
      class: "approvals-revoke",
      cell: (grant) => (
        <Button size="small" kind="bad" onClick={() => onRevoke(grant)}>
          Revoke
        </Button>
      ),
      width: "min(7rem, 25vw)",
      align: "end",
    },
  ];
}

function Covered({ grant, isOutdated }: { readonly grant: GrantSummary; readonly isOutdated: boolean }): JSX.Element {
  const { tool, kind, detail } = grantParts(grant);
  return (
    <>
      <Text value={tool} maxLength={80} isFixed isMono /> <Badge>{kind}</Badge>
      <span class="row-under approvals-covered">
        <Text value={detail} maxLength={300} isFixed />
      </span>
      {isOutdated && (
        <span class="row-under">
          <span class="text-warn">not in effect</span>: the script has changed since
        </span>
      )}
    </>
  );
}

function Applies({ grant: { principal } }: { readonly grant: GrantSummary }): JSX.Element {
  return principal ? <PrincipalName principal={principal} /> : <Badge tone="warn">everyone</Badge>;
}

function isAbout(grant: GrantSummary, query: string): boolean {
  return query === "" || JSON.stringify(grant).toLowerCase().includes(query.toLowerCase());
}

/** Says how standing approvals are made. Without rules, no call waits for one. */
function NoGrants(): JSX.Element {
  const hasNoRules = useHasNoRules();
  const action = hasNoRules ? <WriteRule /> : <LinkButton href={href("approvals")}>View waiting calls</LinkButton>;
  return (
    <Empty title="No standing approvals" icon="approvals" actions={action}>
      {hasNoRules && "There are no rules yet, so no call waits. "}To make a standing approval, answer a waiting call
      with “Always” or “Approve by pattern”. It is listed here until somebody revokes it.
    </Empty>
  );
}
