import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { RunDetail } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { mayUse } from "../../access.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { LineChart } from "../../components/chart/line-chart.tsx";
import { Snippet } from "../../components/copy.tsx";
import { Card, Figure, Page } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { useEvents, useReconnected } from "../../events.ts";
import { count, decimal, percent, plural, precise, uncertainty } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { go, href, pageLocation, setQuery } from "../../router.ts";
import { useThrottled } from "../episodes/live-list.ts";
import { Distribution } from "./distribution.tsx";
import { memo } from "../../components/memo.ts";
import { EndingBars } from "./endings.tsx";
import { Rollouts } from "./rollouts.tsx";
import { DeleteRuns } from "./delete-runs.tsx";
import { EditRuns } from "./edit-runs.tsx";
import { AgentName, otherTags, runTitle } from "./run-name.tsx";
import { RunScores } from "./run-scores.tsx";
import { RunTags } from "./run-tags.tsx";
import { RunningRollouts } from "./running-rollouts.tsx";
import { RunDuration, RunProgress, RunStatus, dollars, rolloutsOf } from "./run-status.tsx";

/** One run: its summary, charts and rollouts. */
export function RunPage({ id }: { readonly id: string }): JSX.Element {
  const run = useResource("/api/runs/:id", { id }, { isCached: true });
  const refresh = useThrottled(run.reload, 1000);
  useEvents("runs", ({ changed }) => {
    if (changed.length === 0 || changed.includes(id)) refresh();
  });
  useReconnected(refresh);
  const { data } = run;
  return (
    <Page
      title={data ? runTitle(data) : "Run"}
      aside={
        data && (
          <>
            {data.id !== runTitle(data) && (
              <span class="mono muted">
                <Text value={data.id} maxLength={80} isFixed />
              </span>
            )}
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
            <RunProgress run={opened} />
            <RunNumbers run={opened} />
            <RunScores scorings={opened.scorings} />
            <RunCharts run={opened} />
          </>
        )}
      </Loaded>
      {data && <RunningRollouts rollouts={data.activeRollouts} />}
      <Rollouts id={id} run={data} />
    </Page>
  );
}

function RunActions({ run, onSaved }: { readonly run: RunDetail; readonly onSaved: () => void }): JSX.Element {
  const [open, setOpen] = useState<"edit" | "delete">();
  const close = () => setOpen(undefined);
  return (
    <>
      <LinkButton icon="runs" href={href("runs", [], { target: run.target })}>
        Trend
      </LinkButton>
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
      <span class="muted">
        {run.status === "cancelled" ? "Cancelled" : "The process ended"} after {count(run.finished)} of{" "}
        {plural(rolloutsOf(run), "rollout")}. Resume the run:
      </span>
      <Snippet text={`biplane rollout --resume ${run.id}`} language="shell" label="command" />
    </div>
  );
}

function RunNumbers({ run }: { readonly run: RunDetail }): JSX.Element {
  const { summary, failed, finished } = run;
  const { mean, standardError, interval, rows, rollouts, masked, steps, tokens, cost, passAt, pass } = summary;
  const best = Object.entries(passAt).slice(1).at(-1);
  return (
    <div class="figures run-figures">
      <Figure
        title="Mean reward"
        value={precise(mean)}
        about={
          rows > 1
            ? `± ${uncertainty(standardError)}, 95% CI ${precise(interval?.[0])} to ${precise(interval?.[1])}`
            : [rollouts === 0 ? "no rollout has finished" : "no rollout has a reward", "one row"][rows]
        }
      />
      <Figure
        title="pass@1"
        value={passAt[1] === undefined ? "–" : percent(passAt[1])}
        about={[
          pass === null ? "reward above 0" : `reward at least ${precise(pass)}`,
          ...(best ? [`pass@${best[0]}: ${percent(best[1])}`] : []),
        ].join(", ")}
      />
      <Figure
        title="Rollouts"
        value={count(finished)}
        tone={failed > 0 ? "bad" : undefined}
        about={[
          `of ${count(rolloutsOf(run))}`,
          failed === 0 ? "none failed" : `${count(failed)} failed (${percent(failed / Math.max(1, rollouts))})`,
          ...(masked > 0 ? [`${count(masked)} masked`] : []),
        ].join(", ")}
      />
      <Figure
        title="Steps"
        value={count(steps)}
        about={rollouts > 0 ? `${decimal(steps / rollouts, 1)} per rollout` : ""}
      />
      <Figure
        title="Tokens"
        value={tokens > 0 ? count(tokens) : "–"}
        about={tokens > 0 && rollouts > 0 ? `${count(Math.round(tokens / rollouts))} per rollout` : "none reported"}
      />
      <Figure
        title="Cost"
        value={cost === undefined ? "–" : dollars(cost)}
        about={cost === undefined ? "not known" : rollouts > 0 ? `${dollars(cost / rollouts)} per rollout` : ""}
      />
    </div>
  );
}

function RunCharts({ run }: { readonly run: RunDetail }): JSX.Element {
  const { reason = "", least, most, below } = pageLocation.value.query;
  return (
    <div class="run-charts">
      <Curve curve={run.curve} />
      <Card title="Reward distribution">
        <Distribution
          bins={run.distribution}
          isChosen={({ from, to }) =>
            least === String(from) && (from === to ? most === String(to) : below === String(to))
          }
          onChoose={({ from, to }) => {
            const isOff = least === String(from) && (most === String(to) || below === String(to));
            setQuery({
              least: isOff ? undefined : from,
              most: isOff || from !== to ? undefined : to,
              below: isOff || from === to ? undefined : to,
            });
          }}
        />
      </Card>
      <Card title="Endings">
        {Object.keys(run.reasons).length === 0 ? (
          <p class="muted">No rollout has finished yet.</p>
        ) : (
          <EndingBars reasons={run.reasons} chosen={reason} onChoose={(chosen) => setQuery({ reason: chosen })} />
        )}
      </Card>
    </div>
  );
}

/** Memoized, because filters do not change it. */
const Curve = memo(({ curve }: Pick<RunDetail, "curve">) => (
  <Card title="Reward over the run" class="run-curve">
    <LineChart
      label="Reward by rollout"
      series={[
        {
          name: "rollouts",
          tone: "plain",
          isScattered: true,
          points: curve.map(({ rollouts, reward }) => ({ x: rollouts, y: reward })),
        },
        { name: "running mean", points: curve.map(({ rollouts, running }) => ({ x: rollouts, y: running })) },
      ]}
      xTitle="rollouts"
      yTitle="reward"
      height={200}
    />
  </Card>
));
