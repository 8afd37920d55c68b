import type { JSX } from "preact";
import type { ShownRun } from "../../../../src/desk/contract.ts";
import { Snippet } from "../../components/copy.tsx";
import { Search } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { count, decimal } from "../../format.ts";
import { href, place, setQuery } from "../../router.ts";
import { useLiveList } from "../episodes/live-list.ts";
import { Picked } from "./picks.tsx";
import { RunDuration, RunProgress, RunStatus, rolloutsOf } from "./run-status.tsx";

/** All runs, the newest first, as they are played. */
export function RunList(): JSX.Element {
  const { query = "" } = place.value.query;
  const list = useLiveList("runs", { query });
  return (
    <Page title="Runs" about="What agents have played, rollout by rollout, and what it came to.">
      <div class="toolbar">
        <Search
          label="Search by name, target, agent or model"
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
        empty={query === "" ? <NoRuns /> : <Empty title="No run fits" icon="runs" children="Try fewer letters." />}
      />
    </Page>
  );
}

const columns: readonly Column<ShownRun>[] = [
  {
    title: "Run",
    cell: ({ target, id }) => (
      <span class="run-name">
        <Text value={target} most={80} isFixed />
        <span class="muted mono">
          <Text value={id} most={60} isFixed />
        </span>
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
  { title: "Took", cell: (run) => <RunDuration run={run} />, width: "5.5rem", align: "end", isWide: true },
];

function MeanReward({ run: { meanReward, standardError } }: { readonly run: ShownRun }): JSX.Element {
  return (
    <span class="num">
      {decimal(meanReward)}
      {standardError !== null && (
        <span class="muted" title="The standard error of the mean">
          {" ± "}
          {decimal(standardError)}
        </span>
      )}
    </span>
  );
}

/** Who played: a model says more than the kind of agent it is. */
export function AgentName({ agent, model }: { readonly agent: string; readonly model: string }): JSX.Element {
  const hasModel = model !== "" && model !== agent && model !== "unknown";
  return (
    <>
      <Text value={agent} most={60} isFixed />
      {hasModel && (
        <span class="muted">
          {" "}
          <Text value={model} most={60} isFixed />
        </span>
      )}
    </>
  );
}

function NoRuns(): JSX.Element {
  return (
    <Empty title="Nothing has been played yet" icon="runs">
      Let an agent play, here or in another terminal. The run shows up while it is played.
      <Snippet text="biplane rollout --env frozen-lake --agent random -n 20" language="shell" label="command" />
    </Empty>
  );
}
