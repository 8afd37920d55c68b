import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { Input, Select } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { usePagedList } from "../../paged-list.ts";
import { go, href, pageLocation, setQuery } from "../../router.ts";
import { FilterInput } from "../approvals/filter-input.tsx";
import { columns } from "./columns.tsx";
import { ExportAudit } from "./export-audit.tsx";
import { VerifyAudit } from "./verify-audit.tsx";
import { AuditDrawer } from "./audit-drawer.tsx";
import { anyOutcome, outcomeChoices } from "../../components/outcome-choices.ts";
import "./style.css";

/** The audit log, newest first. Each entry holds the hash of the previous one. */
export default function Audit(): JSX.Element {
  const { path, query } = pageLocation.value;
  const { tool = "", principal = "", outcome = "", since = "", until = "" } = query;
  const decision = decisionChoices.some(({ value }) => value === query["decision"]) ? (query["decision"] ?? "") : "";
  const code = outcomeChoices.some(({ value }) => value === outcome) ? outcome : "";
  const filter = { tool, principal, code, decision, since: startOfDay(since), until: endOfDay(until) };
  const list = usePagedList("/api/audit", "lines", { query: filter });
  const [opened] = path;
  const isFiltered = Object.values(filter).some((value) => value !== "");
  return (
    <Page
      title="Audit"
      about="Every call and every action by a person, in a tamper-evident hash chain."
      actions={
        <>
          <VerifyAudit />
          <ExportAudit filter={filter} />
          <Button icon="refresh" label="Reload" onClick={list.reload} />
        </>
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
        <Select
          label="Decision"
          isLabelHidden
          value={decision}
          choices={[{ value: "", title: "All decisions" }, ...decisionChoices]}
          onChange={(value) => setQuery({ decision: value })}
        />
        <Input label="From" type="date" value={since} onInput={(value) => setQuery({ since: value })} />
        <Input label="Through" type="date" value={until} onInput={(value) => setQuery({ until: value })} />
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

const noFilters = {
  tool: undefined,
  principal: undefined,
  outcome: undefined,
  decision: undefined,
  since: undefined,
  until: undefined,
};

const decisionChoices = ["allowed", "approved", "asked", "rejected", "denied", "refused"].map((value) => ({
  value,
  title: value,
}));

/** The first moment of a local day, as an ISO time. Empty if it is not a day. */
function startOfDay(day: string, days = 0): string {
  const [year = NaN, month = NaN, date = NaN] = /^\d{4}-\d\d-\d\d$/.test(day) ? day.split("-").map(Number) : [];
  const time = new Date(year, month - 1, date + days);
  return Number.isNaN(time.getTime()) ? "" : time.toISOString();
}

function endOfDay(day: string): string {
  return startOfDay(day, 1);
}
