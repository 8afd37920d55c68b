import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Button } from "../../components/button.tsx";
import { FilterSelect } from "../../components/filter-select.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { usePagedList } from "../../paged-list.ts";
import { href, pageLocation, setQuery } from "../../router.ts";
import { AboutCall } from "./about-call.tsx";
import { PrincipalName } from "./caller.tsx";
import { FilterInput } from "./filter-input.tsx";
import { personName } from "./person-name.ts";
import { useFiltered } from "./use-filtered.ts";
import { StatusBadge } from "./status-badge.tsx";

/** Answered and expired approvals, kept for a week. */
export function Answered(): JSX.Element {
  const { status = "", tool = "", principal = "" } = pageLocation.value.query;
  const known = statuses.some(({ value }) => value === status) ? status : "";
  const pages = usePagedList("/api/approvals", "approvals", { query: { status: known, tool, principal } });
  const list = useFiltered(pages, (approval) => approval.status !== "waiting");
  const isFiltered = [known, tool, principal].some((value) => value !== "");
  return (
    <div class="stack-tight">
      {(isFiltered || list.isLoading || list.items.length > 0) && (
        <div class="toolbar">
          <FilterSelect label="Status" name="status" value={known} choices={statuses} />
          <FilterInput label="Tool" name="tool" value={tool} names={pages.items.map((each) => each.tool)} />
          <FilterInput
            label="Caller"
            name="principal"
            value={principal}
            names={pages.items.map((each) => each.principal.id)}
          />
          {isFiltered && (
            <Button kind="quiet" icon="close" onClick={() => setQuery(noFilters)}>
              Clear filters
            </Button>
          )}
          <Button kind="quiet" icon="refresh" label="Reload" onClick={pages.reload} />
        </div>
      )}
      <Table
        label="Answered calls"
        list={list}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => href("approvals", [id])}
        columns={columns}
        empty={
          isFiltered ? (
            <Empty title="No matching approvals" icon="search">
              Tool and caller must match exactly.
            </Empty>
          ) : (
            <Empty title="No answered approvals" icon="approvals">
              Approved and rejected calls stay here for a week. The audit log keeps them permanently.
            </Empty>
          )
        }
      />
    </div>
  );
}

const noFilters = { status: undefined, tool: undefined, principal: undefined };

const statuses = [
  { value: "", title: "All statuses" },
  { value: "used", title: "Approved, ran" },
  { value: "approved", title: "Approved (not used yet)" },
  { value: "rejected", title: "Rejected" },
  { value: "expired", title: "Expired, or unused" },
];

const columns: readonly Column<Approval>[] = [
  {
    title: "Question",
    cell: ({ question, input, answeredBy, reason }) => (
      <>
        <AboutCall question={question} input={JSON.stringify(input) ?? null} maxLength={200} />
        {reason !== undefined && (
          <span class="row-under wide-only">
            {answeredBy !== undefined && (
              <>
                <Text value={personName(answeredBy)} maxLength={60} isFixed />:{" "}
              </>
            )}
            <Text value={reason} maxLength={160} isFixed />
          </span>
        )}
      </>
    ),
    under: (approval) => (
      <>
        <StatusBadge approval={approval} />{" "}
        {approval.answeredBy !== undefined && <Text value={personName(approval.answeredBy)} maxLength={60} isFixed />}
        {approval.reason !== undefined && (
          <>
            : <Text value={approval.reason} maxLength={160} isFixed />
          </>
        )}
      </>
    ),
    isWrapped: true,
  },
  { title: "Status", cell: (approval) => <StatusBadge approval={approval} />, width: "9.5rem", isWide: true },
  {
    title: "Tool",
    cell: ({ tool }) => <Text value={tool} maxLength={80} isFixed isMono />,
    width: "8rem",
    isWide: true,
  },
  {
    title: "Agent",
    cell: ({ agent: { agentId } }) =>
      agentId === "unknown" ? <span class="muted">–</span> : <Text value={agentId} maxLength={60} isFixed />,
    width: "11rem",
    isRoomy: true,
  },
  { title: "Caller", cell: ({ principal }) => <PrincipalName principal={principal} />, width: "12rem", isRoomy: true },
  {
    title: "Answered by",
    cell: ({ answeredBy }) =>
      answeredBy === undefined ? (
        <span class="muted">–</span>
      ) : (
        <Text value={personName(answeredBy)} maxLength={60} isFixed />
      ),
    width: "8rem",
    isWide: true,
  },
  {
    title: "When",
    cell: ({ answeredAt, askedAt }) => <Time at={answeredAt ?? askedAt} />,
    width: "7rem",
    align: "end",
  },
];
