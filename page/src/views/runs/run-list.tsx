import type { JSX } from "preact";
import type { RunSummary } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { Snippet } from "../../components/copy.tsx";
import { Search } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { count, decimal } from "../../format.ts";
import { href, pageLocation, setQuery } from "../../router.ts";
import { useLiveList } from "../episodes/live-list.ts";
import { Picked } from "./picks.tsx";
import { RunTags } from "./run-tags.tsx";
import { RunDuration, RunProgress, RunStatus, rolloutsOf } from "./run-status.tsx";

/** All runs, newest first, updated live. */
export function RunList(): JSX.Element {
  const { query = "" } = pageLocation.value.query;
  const list = useLiveList("runs", { query });
  return (
    <Page title="Runs" about="Rollouts of agents, with their rewards and endings.">
      <div class="toolbar">
        <Search
          label="Search by name, tag, target, agent or model"
          value={query}
          onInput={(text) => setQuery({ query: text })}
        />
        <Picked />
      </div>
      <Table
        label="Runs"
        list={list}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => href("runs", [id])}
        columns={columns}
        empty={
          query === "" ? <NoRuns /> : <Empty title="No matching runs" icon="runs" children="Try a shorter search." />
        }
      />
    </Page>
  );
}

const columns: readonly Column<RunSummary>[] = [
  {
    title: "Run",
    cell: ({ target, id, name, tags }) => (
      <span class="run-name">
        <Text value={name === null ? target : `${name} (${target})`} maxLength={160} isFixed />
        <span class="muted mono">
          <Text value={id} maxLength={60} isFixed />
        </span>
        <RunTags tags={tags} />
      </span>
    ),
  },
  { title: "Status", cell: (run) => <RunStatus run={run} />, width: "6.5rem" },
  { title: "Agent", cell: (run) => <AgentName agent={run.agent} model={run.model} />, width: "10rem", isWide: true },
  {
    title: "Rollouts",
    cell: (run) => (
      <span class="num">
        {run.status === "finished" ? count(run.finished) : `${count(run.finished)} of ${count(rolloutsOf(run))}`}
        <RunProgress run={run} />
      </span>
    ),
    width: "6.5rem",
    align: "end",
    isWide: true,
  },
  { title: "Mean reward", cell: (run) => <MeanReward run={run} />, width: "8.5rem", align: "end" },
  {
    title: "Failed",
    cell: ({ failed }) => (failed > 0 ? <span class="text-bad">{count(failed)}</span> : <span class="muted">0</span>),
    width: "4.5rem",
    align: "end",
    isWide: true,
  },
  { title: "Started", cell: ({ startedAt }) => <Time at={startedAt} />, width: "6.5rem", align: "end", isWide: true },
  { title: "Duration", cell: (run) => <RunDuration run={run} />, width: "5.5rem", align: "end", isWide: true },
];

/** A mean over rows with its standard error. */
export function MeanReward({
  run: { meanReward, standardError },
}: {
  readonly run: Pick<RunSummary, "meanReward" | "standardError">;
}): JSX.Element {
  return (
    <span class="num">
      {decimal(meanReward)}
      {standardError !== null && (
        <span class="muted" title="Standard error of the mean over rows">
          {" ± "}
          {decimal(standardError)}
        </span>
      )}
    </span>
  );
}

/** The agent and, if known, its model. */
export function AgentName({ agent, model }: { readonly agent: string; readonly model: string }): JSX.Element {
  const hasModel = model !== "" && model !== agent && model !== "unknown";
  return (
    <>
      <Text value={agent} maxLength={60} isFixed />
      {hasModel && (
        <span class="muted">
          {" "}
          <Text value={model} maxLength={60} isFixed />
        </span>
      )}
    </>
  );
}

function NoRuns(): JSX.Element {
  return (
    <Empty title="No runs yet" icon="runs">
      Run an agent in a terminal. The run appears here while it is in progress.
      <Snippet text="biplane rollout --env frozen-lake --agent random -n 20" language="shell" label="command" />
    </Empty>
  );
}
