import type { JSX } from "preact";
import type { ShownScript } from "../../../../src/desk/contract.ts";
import { Button } from "../../components/button.tsx";
import { Snippet } from "../../components/copy.tsx";
import { Search, Select } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { usePages } from "../../pages.ts";
import { href, place, setQuery } from "../../router.ts";
import { useFiltered } from "../approvals/use-filtered.ts";
import { ScriptStatus, statusTitles } from "./script-status.tsx";

export function ScriptList(): JSX.Element {
  const { query = "", status = "" } = place.value.query;
  const pages = usePages("/api/scripts", "scripts");
  const list = useFiltered(pages, (script) => isAbout(script, query) && (status === "" || script.status === status));
  const isFiltered = query !== "" || status !== "";
  return (
    <Page
      title="Scripts"
      about="Small programs that agents may run. A person reads and approves each version first: a changed file waits again."
      actions={
        <Button icon="refresh" onClick={pages.reload}>
          Reload
        </Button>
      }
    >
      <div class="toolbar">
        <Search label="Name or description" value={query} onInput={(text) => setQuery({ query: text })} />
        <Select
          label="Status"
          isLabelHidden
          value={status}
          choices={statusTitles}
          onChange={(value) => setQuery({ status: value })}
        />
      </div>
      <Table
        label="Scripts"
        list={list}
        keyOf={({ name }) => name}
        hrefOf={({ name }) => href("scripts", [name])}
        columns={columns}
        empty={isFiltered ? <NoneFits /> : <NoScripts />}
      />
    </Page>
  );
}

const columns: readonly Column<ShownScript>[] = [
  {
    title: "Script",
    cell: ({ name }) => (
      <span class="mono">
        <Text value={name} most={80} isFixed />
      </span>
    ),
    width: "14rem",
  },
  { title: "Status", cell: ({ status }) => <ScriptStatus status={status} />, width: "7rem" },
  {
    title: "What it does",
    cell: ({ description, fault }) =>
      fault !== null ? (
        <span class="text-bad">
          <Text value={fault} most={200} isFixed />
        </span>
      ) : description === null ? (
        <span class="muted">–</span>
      ) : (
        <Text value={description} most={200} isFixed />
      ),
    isWide: true,
  },
  {
    title: "Secrets",
    cell: ({ secrets }) =>
      secrets.length === 0 ? (
        <span class="muted">none</span>
      ) : (
        <span class="mono small">
          <Text value={secrets.join(", ")} most={120} isFixed />
        </span>
      ),
    width: "11rem",
    isWide: true,
  },
  {
    title: "Decided",
    cell: ({ decidedBy, decidedAt }) =>
      decidedBy === null ? (
        <span class="muted">–</span>
      ) : (
        <>
          <Text value={decidedBy} most={40} isFixed /> {decidedAt !== null && <Time at={decidedAt} />}
        </>
      ),
    width: "12rem",
    isWide: true,
  },
];

function isAbout({ name, description }: ShownScript, query: string): boolean {
  return query === "" || `${name} ${description ?? ""}`.toLowerCase().includes(query.toLowerCase());
}

function NoneFits(): JSX.Element {
  return (
    <Empty title="No script fits" icon="search">
      <Button size="small" onClick={() => setQuery({ query: undefined, status: undefined })}>
        Show all scripts
      </Button>
    </Empty>
  );
}

function NoScripts(): JSX.Element {
  return (
    <Empty title="There are no scripts" icon="scripts">
      Name a folder in <code>biplane.yaml</code> and put <code>.star</code> files there: each shows up here, to be read
      and approved before an agent can run it.
      <Snippet text={"packs:\n  script:\n    root: ./scripts"} label="setting" />
    </Empty>
  );
}
