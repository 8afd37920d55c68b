import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Input } from "../../components/field.tsx";
import { FilterSelect } from "../../components/filter-select.tsx";
import { Page } from "../../components/page.tsx";
import { Snippet } from "../../components/copy.tsx";
import { ConnectLink } from "../../components/connect-link.tsx";
import { GuideLink } from "../../components/guide-link.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { day } from "../../format.ts";
import { usePagedList } from "../../paged-list.ts";
import { useResource } from "../../resource.ts";
import { go, href, pageLocation, setQuery } from "../../router.ts";
import { useIsWide } from "../../use-is-wide.ts";
import { FilterInput } from "../approvals/filter-input.tsx";
import { ChainState } from "./chain-state.tsx";
import { columns } from "./columns.tsx";
import type { AuditRow } from "./columns.tsx";
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
  const route = query["by"] === "people" ? "people" : "";
  const filter = { tool, principal, code, decision, route, since: startOfDay(since), until: endOfDay(until) };
  const list = usePagedList("/api/audit", "lines", { query: filter });
  const state = useResource("/api/audit/state", {}, { isCached: true });
  const reload = () => {
    list.reload();
    state.reload();
  };
  const [opened] = path;
  const isWide = useIsWide(960);
  const days = isWide || list.items.length === 0 ? [{ title: "", items: list.items }] : byDay(list.items);
  const [areFiltersOpen, setFiltersOpen] = useState(false);
  const isFiltered = Object.values(filter).some((value) => value !== "");
  const calls = list.items.filter((line) => line.kind === "call");
  return (
    <Page
      title="Audit"
      about="Every call and every action by a person. A chain of hashes shows whether an entry was changed."
      actions={
        <>
          {state.data?.entries !== 0 && (
            <>
              <VerifyAudit onDone={state.reload} />
              <ExportAudit filter={filter} />
            </>
          )}
          {/* Phones show the entries first. */}
          {!isWide && !isFiltered && list.items.length > 0 && (
            <Button icon="settings" isPressed={areFiltersOpen} onClick={() => setFiltersOpen(!areFiltersOpen)}>
              Filters
            </Button>
          )}
          <Button icon="refresh" label="Reload" onClick={reload} />
        </>
      }
    >
      {state.data && state.data.entries > 0 && <ChainState state={state.data} />}
      {(isWide || isFiltered || areFiltersOpen) && (isFiltered || list.isLoading || list.items.length > 0) && (
        <div class="toolbar audit-filters">
          <FilterInput label="Tool" name="tool" value={tool} names={calls.map((call) => call.tool)} />
          <FilterInput
            label="Caller"
            name="principal"
            value={principal}
            names={calls.map((call) => call.principal.id)}
          />
          <FilterSelect label="Outcome" name="outcome" value={code} choices={[anyOutcome, ...outcomeChoices]} />
          <FilterSelect
            label="Decision"
            name="decision"
            value={decision}
            choices={[{ value: "", title: "All decisions" }, ...decisionChoices]}
          />
          <FilterSelect label="Entries" name="by" value={route} choices={entryChoices} />
          <div class="audit-days" role="group" aria-label="Days">
            <Input label="From" type="date" value={since} onInput={(value) => setQuery({ since: value })} />
            <Input label="to" type="date" value={until} onInput={(value) => setQuery({ until: value })} />
          </div>
          {isFiltered && <Button kind="quiet" icon="close" label="Clear filters" onClick={() => setQuery(noFilters)} />}
        </div>
      )}
      {days.map(({ title, items }, at) => (
        <section key={title} class="stack-tight audit-entries">
          {title !== "" && <h2>{title}</h2>}
          <Table
            label={title === "" ? "Audit log" : `Audit log, ${title}`}
            list={at === days.length - 1 ? { ...list, items } : { items }}
            keyOf={({ sequence }) => String(sequence)}
            hrefOf={({ sequence }) => href("audit", [String(sequence)], query)}
            current={opened}
            columns={columns}
            empty={<NoEntries isFiltered={isFiltered} isRecorded={state.data?.isRecorded ?? true} />}
          />
        </section>
      ))}
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

function NoEntries(props: { readonly isFiltered: boolean; readonly isRecorded: boolean }): JSX.Element {
  if (props.isFiltered)
    return (
      <Empty title="No matching entries" icon="search">
        Tool and caller must match exactly, for example <code>refund</code>, <code>ada</code>, <code>127.0.0.1</code>.
      </Empty>
    );
  if (!props.isRecorded)
    return (
      <Empty title="Nothing is recorded" icon="warn" tone="warn" actions={<GuideLink page="store" />}>
        <p>
          An audit log needs a store. Add one to <code>biplane.yaml</code> and restart the server. Calls and sign-ins
          are recorded from then on.
        </p>
        <Snippet text="store: ./biplane.db" language="yaml" label="setting" />
      </Empty>
    );
  return (
    <Empty title="No audit entries yet" icon="audit" actions={<ConnectLink />}>
      The next call or sign-in is the first entry.
    </Empty>
  );
}

/** The entries of each local day. Phones have no space for the day in every row. */
function byDay(lines: readonly AuditRow[]): readonly { readonly title: string; readonly items: readonly AuditRow[] }[] {
  const days: { readonly title: string; readonly items: AuditRow[] }[] = [];
  for (const line of lines) {
    const title = day(line.time);
    const last = days.at(-1);
    if (last?.title === title) last.items.push(line);
    else days.push({ title, items: [line] });
  }
  return days;
}

const noFilters = {
  tool: undefined,
  principal: undefined,
  outcome: undefined,
  decision: undefined,
  by: undefined,
  since: undefined,
  until: undefined,
};

const entryChoices = [
  { value: "", title: "All entries" },
  { value: "people", title: "By people" },
];

const decisionChoices = ["allowed", "approved", "asked", "rejected", "denied", "refused"].map((value) => ({
  value,
  title: value === "refused" ? "invalid" : value,
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
