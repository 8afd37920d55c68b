import type { JSX } from "preact";
import type { ScriptSummary } from "../../../../packages/biplane/src/admin/scripts/script-api.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { Snippet } from "../../components/copy.tsx";
import { Search } from "../../components/field.tsx";
import { FilterSelect } from "../../components/filter-select.tsx";
import { GuideLink } from "../../components/guide-link.tsx";
import { Page } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { usePagedList } from "../../paged-list.ts";
import { href, pageLocation, setQuery } from "../../router.ts";
import { personName } from "../approvals/person-name.ts";
import { useFiltered } from "../approvals/use-filtered.ts";
import { ScriptStatus, statusTitles, waitsForApproval } from "./script-status.tsx";

export function ScriptList(): JSX.Element {
  const { query = "", status: given = "" } = pageLocation.value.query;
  const status = renamedStatuses[given] ?? given;
  const pages = usePagedList("/api/scripts", "scripts", {});
  const list = useFiltered(pages, (script) => isAbout(script, query) && (status === "" || script.status === status));
  const isFiltered = query !== "" || status !== "";
  // What needs a decision comes first.
  const items = list.items.toSorted((one, other) => Number(waitsForApproval(other)) - Number(waitsForApproval(one)));
  const isDescribed = pages.items.some(({ description, fault }) => description !== null || fault !== null);
  const columns = [
    ...nameColumns,
    ...(isDescribed ? [descriptionColumn] : []),
    ...(items.some(({ secrets }) => secrets.length > 0) ? [secretsColumn] : []),
    ...decisionColumns,
  ];
  return (
    <Page
      title="Scripts"
      about="Small programs that agents can run, in Starlark, a dialect of Python. A person approves each version."
      isNarrow
      actions={<Button icon="refresh" label="Reload" onClick={pages.reload} />}
    >
      {(isFiltered || pages.isLoading || pages.items.length > 0) && (
        <div class="toolbar">
          <Search
            label={isDescribed ? "Search name or description" : "Search name"}
            value={query}
            onInput={(text) => setQuery({ query: text })}
          />
          <FilterSelect label="Status" name="status" value={status} choices={statusTitles} />
        </div>
      )}
      <Table
        label="Scripts"
        list={{ ...list, items }}
        keyOf={({ name }) => name}
        hrefOf={({ name }) => href("scripts", [name])}
        columns={columns}
        empty={isFiltered ? <NoMatches /> : <NoScripts />}
      />
    </Page>
  );
}

/** Old names of statuses; saved links may contain them. */
const renamedStatuses: Readonly<Record<string, string>> = { new: "pending", changed: "modified" };

const nameColumns: readonly Column<ScriptSummary>[] = [
  {
    title: "Script",
    cell: ({ name }) => <Text value={name} maxLength={80} isFixed isMono />,
    under: (script) => (
      <>
        {(script.fault ?? script.description) !== null && (
          <span class="block">
            <Description script={script} />
          </span>
        )}
        <ScriptStatus status={script.status} /> <LastDecision script={script} />
      </>
    ),
    class: "scripts-name",
    isWrapped: true,
  },
  { title: "Status", cell: ({ status }) => <ScriptStatus status={status} />, width: "7rem", isWide: true },
];

const descriptionColumn: Column<ScriptSummary> = {
  title: "Description",
  cell: (script) => <Description script={script} />,
  isWide: true,
  isWrapped: true,
};

/** What the script does, or why it cannot be used. */
function Description({ script: { description, fault } }: { readonly script: ScriptSummary }): JSX.Element {
  if (fault !== null) return <Text value={fault} maxLength={200} isFixed class="text-bad" />;
  return description === null ? <span class="muted">–</span> : <Text value={description} maxLength={200} isFixed />;
}

const secretsColumn: Column<ScriptSummary> = {
  title: "Secrets",
  cell: ({ secrets }) =>
    secrets.length === 0 ? (
      <span class="muted">none</span>
    ) : (
      <Text value={secrets.join(", ")} maxLength={120} isFixed isMono class="small" />
    ),
  width: "9rem",
  isWide: true,
};

const decisionColumns: readonly Column<ScriptSummary>[] = [
  {
    title: "Decision",
    cell: (script) => <LastDecision script={script} />,
    width: "13.5rem",
    isWide: true,
  },
  {
    title: "File changed",
    cell: ({ changedAt }) => (changedAt === null ? <span class="muted">–</span> : <Time at={changedAt} />),
    width: "6.5rem",
    align: "end",
    isRoomy: true,
  },
  {
    title: "Actions",
    cell: (script) =>
      waitsForApproval(script) && (
        <LinkButton size="small" href={href("scripts", [script.name])} label={`Review ${script.name}`}>
          Review
        </LinkButton>
      ),
    width: "6rem",
    align: "end",
  },
];

/** Beside the status: `by ada, 16 Nov`, `last approved by ada, 16 Nov`. */
function LastDecision({ script }: { readonly script: ScriptSummary }): JSX.Element {
  const { decidedBy, decidedAt, lastApproval } = script;
  const by = decidedBy ?? lastApproval?.by;
  const at = decidedBy === null ? lastApproval?.at : decidedAt;
  if (by === undefined) return <span class="muted wide-only">–</span>;
  return (
    <>
      {decidedBy === null && "last approved "}by <Text value={personName(by)} maxLength={40} isFixed />
      {typeof at === "string" && (
        <>
          , <Time at={at} />
        </>
      )}
    </>
  );
}

function isAbout({ name, description }: ScriptSummary, query: string): boolean {
  return query === "" || `${name} ${description ?? ""}`.toLowerCase().includes(query.toLowerCase());
}

function NoMatches(): JSX.Element {
  return (
    <Empty title="No matching scripts" icon="search">
      <Button size="small" onClick={() => setQuery({ query: undefined, status: undefined })}>
        Show all scripts
      </Button>
    </Empty>
  );
}

function NoScripts(): JSX.Element {
  return (
    <Empty title="No scripts yet" icon="scripts" actions={<GuideLink page="scripts" />}>
      <p>
        A script is a small program in Starlark, which is like Python. Agents can run it once a person has approved it
        here. Name a folder of scripts in <code>biplane.yaml</code> and restart the server:
      </p>
      <Snippet text={example} language="yaml" label="setting" />
    </Empty>
  );
}

const example = `packs:
  script:
    root: ./scripts # the folder of .star files`;
