import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { mayOpen } from "../../access.ts";
import { FilterSelect } from "../../components/filter-select.tsx";
import { pairsBeyond } from "../../components/input-values.ts";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { dateTime } from "../../format.ts";
import { usePagedList } from "../../paged-list.ts";
import { useResource } from "../../resource.ts";
import { href, pageLocation, setQuery } from "../../router.ts";
import { AboutCall } from "./about-call.tsx";
import { PrincipalName } from "./caller.tsx";
import { FilterInput } from "./filter-input.tsx";
import { personName } from "./person-name.ts";
import { useFiltered } from "./use-filtered.ts";
import { StatusBadge } from "./status-badge.tsx";
import { useHasNoRules, WriteRule } from "./write-rule.tsx";

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
            <NothingAnswered />
          )
        }
      />
    </div>
  );
}

function NothingAnswered(): JSX.Element {
  const hasNoRules = useHasNoRules();
  const audit = useResource("/api/audit/state", mayOpen("audit") ? {} : undefined, { isCached: true });
  const isRecorded = audit.data?.isRecorded === true;
  if (hasNoRules)
    return (
      <Empty title="Nothing answered yet" icon="clock" actions={<WriteRule />}>
        There are no rules yet, so no call ever waits for a person.
      </Empty>
    );
  return (
    <Empty
      title="Nothing answered yet"
      icon="clock"
      actions={isRecorded && <LinkButton href={href("audit")}>Open the audit log</LinkButton>}
    >
      Calls stay here for 7 days after their answer.{isRecorded && " The audit log keeps every answer."}
    </Empty>
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
    cell: (approval) => (
      <>
        <AboutCall
          question={approval.question}
          input={JSON.stringify(approval.input) ?? null}
          maxLength={200}
          inputClass="narrow-only"
        />
        <span class="wide-only">
          <AnswerReason approval={approval} />
        </span>
      </>
    ),
    under: (approval) => (
      <>
        <span class="row-facts approvals-ended">
          <span>
            <StatusBadge approval={approval} />
          </span>
          {approval.answeredBy !== undefined && (
            <span>
              <Text value={personName(approval.answeredBy)} maxLength={60} isFixed />
            </span>
          )}
          <span>
            <Ended approval={approval} />
          </span>
        </span>
        <AnswerReason approval={approval} />
      </>
    ),
    isWrapped: true,
  },
  {
    title: "Input",
    cell: ({ question, input }) => (
      <Text value={pairsBeyond(question, JSON.stringify(input) ?? null)} maxLength={160} isFixed class="muted" />
    ),
    isRoomy: true,
  },
  { title: "Status", cell: (approval) => <StatusBadge approval={approval} />, width: "9.5rem", isWide: true },
  {
    title: "Tool",
    cell: ({ tool, principal }) => (
      <>
        <Text value={tool} maxLength={80} isFixed isMono />
        <span class="row-under">
          <PrincipalName principal={principal} />
        </span>
      </>
    ),
    width: "10.5rem",
    isWide: true,
  },
  {
    title: "Agent",
    cell: ({ agent: { agentId } }) =>
      agentId === "unknown" ? <span class="muted">–</span> : <Text value={agentId} maxLength={60} isFixed />,
    width: "10rem",
    isRoomy: true,
  },
  {
    title: "Answered by",
    cell: ({ answeredBy }) =>
      answeredBy === undefined ? (
        <span class="muted">–</span>
      ) : (
        <Text value={personName(answeredBy)} maxLength={60} isFixed />
      ),
    width: "7rem",
    isWide: true,
  },
  {
    title: "When",
    about: "When it was answered, or requested if nobody answered",
    cell: (approval) => (
      <>
        <Ended approval={approval} />
        <span class="row-under num">{dateTime(endOf(approval)).replace(/:\d\d$/, "")}</span>
      </>
    ),
    width: "7.5rem",
    align: "end",
    isWide: true,
  },
];

function Ended({ approval }: { readonly approval: Approval }): JSX.Element {
  return <Time at={endOf(approval)} />;
}

function endOf({ answeredAt, askedAt }: Approval): string {
  return answeredAt ?? askedAt;
}

/** What the person said: the reason of a rejection, or the comment of an approval. */
function AnswerReason({ approval: { reason, answeredBy } }: { readonly approval: Approval }): JSX.Element | null {
  if (reason === undefined) return null;
  return (
    <span class="row-under">
      <Text
        value={answeredBy === undefined ? "Comment" : personName(answeredBy)}
        maxLength={60}
        isFixed
        class="strong"
      />
      : “<Text value={reason} maxLength={160} isFixed />”
    </span>
  );
}
