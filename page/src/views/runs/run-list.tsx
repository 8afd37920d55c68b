import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { mayUse } from "../../access.ts";
import { Snippet } from "../../components/copy.tsx";
import { GuideLink } from "../../components/guide-link.tsx";
import { Page } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { count } from "../../format.ts";
import { href, pageLocation, setQuery } from "../../router.ts";
import { Picked } from "./picks.tsx";
import { runColumns } from "./run-columns.tsx";
import { RunFilterBar, noRunFilters } from "./run-filter-bar.tsx";
import { RunSelection } from "./run-selection.tsx";
import { runTitle } from "./run-name.tsx";
import { RunTrend } from "./run-trend.tsx";
import { useRunList } from "./use-run-list.ts";

/** All runs: filtered, in any order, updated live. With a target, also their trend. */
export function RunList(): JSX.Element {
  const { query = "", status = "", target = "", model = "", tag = "", order = "-started" } = pageLocation.value.query;
  const filters = { query, status, target, model, tag };
  const isFiltered = Object.values(filters).some((value) => value !== "");
  const list = useRunList({ ...filters, order });
  const isEmpty = !isFiltered && list.items.length === 0 && !list.isLoading;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  // Rows that a filter hides are not selected any more.
  const chosen = list.items.filter(({ id }) => selected.has(id));
  return (
    <Page
      title="Runs"
      about={`Rollouts of agents, with their rewards, scores and costs.${isEmpty || target !== "" ? "" : " Filter by a target to see its trend."}`}
    >
      {!isEmpty && (
        <RunFilterBar filters={filters} order={order} isFiltered={isFiltered}>
          <Picked />
        </RunFilterBar>
      )}
      {target !== "" && <RunTrend target={target} model={model} tag={tag} />}
      {list.items.length > 0 && (
        <RunSelection
          runs={chosen}
          all={`${count(list.items.length)}${list.hasMore ? "+" : ""} ${list.items.length === 1 ? "run" : "runs"}`}
          mayEdit={mayUse("edit-runs")}
          onClear={() => setSelected(new Set())}
          onDeleted={(id) => list.change((items) => items.filter((run) => run.id !== id))}
        />
      )}
      <Table
        label="Runs"
        list={list}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => href("runs", [id])}
        columns={runColumns(list.items, target === "")}
        ticked={{ keys: selected, onChange: setSelected, nameOf: (run) => `run ${runTitle(run)} ${run.id}` }}
        sort={{ order, onChange: (wanted) => setQuery({ order: wanted === "-started" ? undefined : wanted }) }}
        empty={isFiltered ? <NoMatches /> : <NoRuns />}
      />
    </Page>
  );
}

function NoMatches(): JSX.Element {
  return (
    <Empty title="No matching runs" icon="runs">
      <button type="button" class="more" onClick={() => setQuery(noRunFilters)}>
        Show all runs
      </button>
    </Empty>
  );
}

function NoRuns(): JSX.Element {
  return (
    <Empty title="No runs yet" icon="runs" actions={<GuideLink page="rollouts" />}>
      <p>
        In a run, an agent plays tasks and gets a reward for each. Start one in a terminal. It appears here at once, and
        stays. The agent <code>random</code> is for tests and needs no model.
      </p>
      <Snippet text="biplane rollout --env frozen-lake --agent random -n 20" language="shell" label="command" />
    </Empty>
  );
}
