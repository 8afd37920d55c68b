import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { Snippet } from "../../components/copy.tsx";
import { Select } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { usePages } from "../../pages.ts";
import { go, href, place, setQuery } from "../../router.ts";
import { FilterInput } from "../approvals/filter-input.tsx";
import { columns } from "./columns.tsx";
import { LineDrawer } from "./line-drawer.tsx";
import { everyOutcome, outcomes } from "../../components/outcomes.ts";
import "./style.css";

/** What was done here, by whom and what came of it, the newest first. Each line holds the hash of the one before. */
export default function Audit(): JSX.Element {
  const { path, query } = place.value;
  const { tool = "", principal = "", outcome = "" } = query;
  const code = outcomes.some(({ value }) => value === outcome) ? outcome : "";
  const list = usePages("/api/audit", "lines", { tool, principal, code });
  const [opened] = path;
  const isFiltered = [tool, principal, code].some((value) => value !== "");
  return (
    <Page
      title="Audit"
      about="Every call and everything that people did, in a chain of lines that cannot be changed unnoticed."
      actions={
        <Button icon="refresh" onClick={list.reload}>
          Reload
        </Button>
      }
    >
      <div class="toolbar">
        <FilterInput label="Tool" value={tool} onChange={(value) => setQuery({ tool: value })} />
        <FilterInput label="Who" value={principal} onChange={(value) => setQuery({ principal: value })} />
        <Select
          label="Outcome"
          isLabelHidden
          value={code}
          choices={[everyOutcome, ...outcomes]}
          onChange={(value) => setQuery({ outcome: value })}
        />
        {isFiltered && (
          <Button kind="quiet" icon="close" onClick={() => setQuery(noFilters)}>
            Clear
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
            <Empty title="No line fits" icon="search">
              Tool and who must be written in full: <code>refund</code>, <code>ada</code>, <code>127.0.0.1</code>.
            </Empty>
          ) : (
            <Empty title="Nothing has happened yet" icon="audit">
              Each call leaves a line here, and so does what people decide.
            </Empty>
          )
        }
      />
      <div class="audit-export">
        <p class="muted">To take lines along, or to check that none was changed, moved or removed:</p>
        <Snippet
          text={"biplane audit show -n 1000 > audit.jsonl\nbiplane audit verify"}
          language="shell"
          label="commands"
        />
      </div>
      {opened !== undefined && (
        <LineDrawer
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
