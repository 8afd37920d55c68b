import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { Snippet } from "../../components/copy.tsx";
import { Select } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { usePagedList } from "../../paged-list.ts";
import { go, href, pageLocation, setQuery } from "../../router.ts";
import { FilterInput } from "../approvals/filter-input.tsx";
import { columns } from "./columns.tsx";
import { AuditDrawer } from "./audit-drawer.tsx";
import { anyOutcome, outcomeChoices } from "../../components/outcome-choices.ts";
import "./style.css";

/** The audit log, newest first. Each entry holds the hash of the previous one. */
export default function Audit(): JSX.Element {
  const { path, query } = pageLocation.value;
  const { tool = "", principal = "", outcome = "" } = query;
  const code = outcomeChoices.some(({ value }) => value === outcome) ? outcome : "";
  const list = usePagedList("/api/audit", "lines", { query: { tool, principal, code } });
  const [opened] = path;
  const isFiltered = [tool, principal, code].some((value) => value !== "");
  return (
    <Page
      title="Audit"
      about="Every call and every action by a person, in a tamper-evident hash chain."
      actions={
        <Button icon="refresh" onClick={list.reload}>
          Reload
        </Button>
      }
    >
      <div class="toolbar">
        <FilterInput label="Tool" value={tool} onChange={(value) => setQuery({ tool: value })} />
        <FilterInput label="Caller" value={principal} onChange={(value) => setQuery({ principal: value })} />
        <Select
          label="Outcome"
          isLabelHidden
          value={code}
          choices={[anyOutcome, ...outcomeChoices]}
          onChange={(value) => setQuery({ outcome: value })}
        />
        {isFiltered && (
          <Button kind="quiet" icon="close" onClick={() => setQuery(noFilters)}>
            Clear filters
          </Button>
        )}
      </div>
      <Table
        label="Audit log"
        list={list}
        keyOf={({ sequence }) => String(sequence)}
        hrefOf={({ sequence }) => href("audit", [String(sequence)], query)}
        current={opened}
        columns={columns}
        empty={
          isFiltered ? (
            <Empty title="No matching entries" icon="search">
              Tool and caller must match exactly, for example <code>refund</code>, <code>ada</code>,{" "}
              <code>127.0.0.1</code>.
            </Empty>
          ) : (
            <Empty title="No audit entries yet" icon="audit">
              Every call and every decision by a person is recorded here.
            </Empty>
          )
        }
      />
      <div class="audit-export">
        <p class="muted">Export entries, or verify that none was changed, moved or removed:</p>
        <Snippet
          text={"biplane audit show -n 1000 > audit.jsonl\nbiplane audit verify"}
          language="shell"
          label="commands"
        />
      </div>
      {opened !== undefined && (
        <AuditDrawer
          key={opened}
          sequence={opened}
          known={list.items.find(({ sequence }) => String(sequence) === opened)}
          onClose={() => go(href("audit", [], query))}
        />
      )}
    </Page>
  );
}

const noFilters = { tool: undefined, principal: undefined, outcome: undefined };
