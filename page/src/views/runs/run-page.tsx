import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { RunDetail } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { mayUse } from "../../access.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { Snippet } from "../../components/copy.tsx";
import { Page } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { count, plural } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { go, href } from "../../router.ts";
import { useChanges } from "../episodes/live-list.ts";
import { AllFailed, hasOnlyFailed } from "./all-failed.tsx";
import { Rollouts } from "./rollouts.tsx";
import { DeleteRuns } from "./delete-runs.tsx";
import { EditRuns } from "./edit-runs.tsx";
import { RunCharts } from "./run-charts.tsx";
import { AgentName, otherTags, runTitle } from "./run-name.tsx";
import { RunNumbers } from "./run-numbers.tsx";
import { RunScores } from "./run-scores.tsx";
import { RunTags } from "./run-tags.tsx";
import { RunningRollouts } from "./running-rollouts.tsx";
import { RunDuration, RunStatus, rolloutsOf } from "./run-status.tsx";

/** One run: its summary, charts and rollouts. */
export function RunPage({ id }: { readonly id: string }): JSX.Element {
  const run = useResource("/api/runs/:id", { id }, { isCached: true });
  useChanges("runs", id, { reload: run.reload, everyMs: 1000 });
  const { data } = run;
  return (
    <Page
      title={data ? runTitle(data) : "Run"}
      aside={
        data && (
          <>
            {data.id !== runTitle(data) && <Text value={data.id} maxLength={80} isFixed isMono class="muted" />}
            <RunStatus run={data} />
            <RunTags tags={otherTags(data)} />
          </>
        )
      }
      parent={{ title: "Runs", href: href("runs") }}
      about={data && <About run={data} />}
      actions={data && <RunActions run={data} onSaved={run.reload} />}
    >
      <Loaded resource={run} rows={8}>
        {(opened) => (
          <>
            {(opened.status === "cancelled" || opened.status === "interrupted") && <Resume run={opened} />}
            {hasOnlyFailed(opened) && <AllFailed run={opened} />}
            {(opened.status !== "failed" || opened.meanReward !== null) && <RunNumbers run={opened} />}
            <RunCharts run={opened} />
            <RunScores scorings={opened.scorings} />
          </>
        )}
      </Loaded>
      {data && <RunningRollouts rollouts={data.activeRollouts} repetitions={data.repetitions} />}
      <Rollouts id={id} run={data} />
    </Page>
  );
}

function RunActions({ run, onSaved }: { readonly run: RunDetail; readonly onSaved: () => void }): JSX.Element {
  const [open, setOpen] = useState<"edit" | "delete">();
  const close = () => setOpen(undefined);
  return (
    <>
      {run.meanReward !== null && (
        <LinkButton icon="runs" href={href("runs", [], { target: run.target })}>
          Trend
        </LinkButton>
      )}
      {mayUse("edit-runs") && (
        <>
          <Button onClick={() => setOpen("edit")}>Name and tags</Button>
          <Button
            icon="trash"
            label="Delete this run"
            isDisabled={run.status === "running"}
            onClick={() => setOpen("delete")}
          />
        </>
      )}
      {open === "edit" && <EditRuns runs={[run]} onClose={close} onSaved={onSaved} />}
      {open === "delete" && <DeleteRuns runs={[run]} onClose={close} onDone={() => go(href("runs"))} />}
    </>
  );
}

function About({ run }: { readonly run: RunDetail }): JSX.Element {
  return (
    <>
      <AgentName agent={run.agent} model={run.model} /> in <Text value={run.target} maxLength={200} />, at most{" "}
      {plural(run.steps, "step")}, concurrency {run.concurrency}, started <Time at={run.startedAt} />, took{" "}
      <RunDuration run={run} />
    </>
  );
}

function Resume({ run }: { readonly run: RunDetail }): JSX.Element {
  return (
    <div class="run-resume">
      <span>
        <b>
          {run.status === "cancelled" ? "Cancelled" : "The process ended"} after {count(run.finished)} of{" "}
          {plural(rolloutsOf(run), "rollout")}.
        </b>{" "}
        To play the others:
      </span>
      <Snippet text={`biplane rollout --resume ${run.id}`} language="shell" label="command" />
    </div>
  );
}
