import type { JSX } from "preact";
import type { OpenedRun } from "../../../../src/desk/contract.ts";
import { segment } from "../../api.ts";
import { LineChart } from "../../components/chart/line-chart.tsx";
import { Snippet } from "../../components/copy.tsx";
import { Card, Figure, Page } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { useEvents, useReconnected } from "../../events.ts";
import { count, decimal, percent, plural } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { href, place, setQuery } from "../../router.ts";
import { useThrottled } from "../episodes/live-list.ts";
import { Distribution } from "./distribution.tsx";
import { memo } from "../../components/memo.ts";
import { ReasonBars } from "./reasons.tsx";
import { Rollouts } from "./rollouts.tsx";
import { AgentName } from "./run-list.tsx";
import { UnderWay } from "./under-way.tsx";
import { RunDuration, RunProgress, RunStatus, rolloutsOf } from "./run-status.tsx";

/** One run: what it came to, and its rollouts. */
export function RunPage({ id }: { readonly id: string }): JSX.Element {
  const run = useResource<OpenedRun>(`/api/runs/${segment(id)}`, {}, { isKept: true });
  const look = useThrottled(run.reload, 1000);
  useEvents("runs", ({ changed }) => {
    if (changed.length === 0 || changed.includes(id)) look();
  });
  useReconnected(look);
  const { data } = run;
  return (
    <Page
      title="Run"
      aside={
        data && (
          <>
            <span class="mono">
              <Text value={data.id} most={80} isFixed />
            </span>
            <RunStatus run={data} />
          </>
        )
      }
      parent={{ title: "Runs", href: href("runs") }}
      about={data && <About run={data} />}
    >
      <Loaded resource={run} rows={8}>
        {(opened) => (
          <>
            {(opened.status === "cancelled" || opened.status === "interrupted") && <Resume run={opened} />}
            <RunProgress run={opened} />
            <RunNumbers run={opened} />
            <RunCharts run={opened} />
          </>
        )}
      </Loaded>
      {data && <UnderWay rollouts={data.underWay} />}
      <Rollouts id={id} run={data} />
    </Page>
  );
}

function About({ run }: { readonly run: OpenedRun }): JSX.Element {
  return (
    <>
      <AgentName agent={run.agent} model={run.model} /> in <Text value={run.target} most={200} />, at most{" "}
      {plural(run.steps, "step")}, {run.concurrency} at once, started <Time at={run.startedAt} />
    </>
  );
}

function Resume({ run }: { readonly run: OpenedRun }): JSX.Element {
  return (
    <div class="run-resume">
      <span class="muted">
        {run.status === "cancelled" ? "It was stopped" : "Its process ended"} after {count(run.finished)} of{" "}
        {plural(rolloutsOf(run), "rollout")}. Go on with it:
      </span>
      <Snippet text={`biplane rollout --resume ${run.id}`} language="shell" label="command" />
    </div>
  );
}

function RunNumbers({ run }: { readonly run: OpenedRun }): JSX.Element {
  const { summary, failed, finished } = run;
  const { mean, interval, rollouts, steps, tokens, cost, passAt } = summary;
  const [, best] = Object.entries(passAt);
  return (
    <div class="figures run-figures">
      <Figure
        title="Mean reward"
        value={rollouts === 0 ? "–" : decimal(mean)}
        about={
          rollouts > 1
            ? `95% CI ${decimal(interval[0])} to ${decimal(interval[1])}`
            : ["none is over yet", "one rollout"][rollouts]
        }
      />
      <Figure
        title="Succeeded"
        value={passAt[1] === undefined ? "–" : percent(passAt[1])}
        about={best ? `one of ${best[0]} tries: ${percent(best[1])}` : "with a reward above 0"}
      />
      <Figure title="Rollouts" value={count(finished)} about={`of ${count(rolloutsOf(run))}`} />
      <Figure
        title="Failed"
        value={count(failed)}
        tone={failed > 0 ? "bad" : undefined}
        about={rollouts > 0 ? `${percent(failed / rollouts)} of them` : ""}
      />
      <Figure
        title="Steps"
        value={count(steps)}
        about={rollouts > 0 ? `${decimal(steps / rollouts, 1)} a rollout` : ""}
      />
      {tokens > 0 ? (
        <Figure title="Tokens" value={count(tokens)} about={cost === undefined ? "" : `$${decimal(cost, 4)}`} />
      ) : (
        <Figure title="Took" value={<RunDuration run={run} />} />
      )}
    </div>
  );
}

function RunCharts({ run }: { readonly run: OpenedRun }): JSX.Element {
  const { reason = "", least, most, below } = place.value.query;
  return (
    <div class="run-charts">
      <Curve curve={run.curve} />
      <Card title="Distribution of rewards">
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
      <Card title="How they ended">
        {Object.keys(run.reasons).length === 0 ? (
          <p class="muted">No rollout is over yet.</p>
        ) : (
          <ReasonBars reasons={run.reasons} chosen={reason} onChoose={(chosen) => setQuery({ reason: chosen })} />
        )}
      </Card>
    </div>
  );
}

/** What is filtered below does not change it. */
const Curve = memo(({ curve }: Pick<OpenedRun, "curve">) => (
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
        { name: "mean so far", points: curve.map(({ rollouts, running }) => ({ x: rollouts, y: running })) },
      ]}
      xTitle="rollouts"
      yTitle="reward"
      height={200}
    />
  </Card>
));
