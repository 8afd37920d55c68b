import type { ComponentChildren, JSX } from "preact";
import type {
  CallStatisticsBody,
  StatisticsRange,
} from "../../../../packages/biplane/src/admin/calls/statistics-api.ts";
import { TimeChart } from "../../components/chart/time-chart.tsx";
import { deniedOrFailed, failuresOf, shareText } from "../../components/failure-counts.ts";
import { Segmented } from "../../components/field.tsx";
import { Figure } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { figures } from "../../events.ts";
import { chosenDuration, count, duration, plural } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";
import { storedSetting } from "../../stored-setting.ts";
import { useReload } from "../../use-reload.ts";
import { Breakdown } from "./breakdown.tsx";

const range = storedSetting<StatisticsRange>("overview-range", "24h");

/** Calls, failures and durations over time, and by tool, agent and policy. The children are beside the table. */
export function Traffic({ children }: { readonly children?: ComponentChildren }): JSX.Element {
  const statistics = useResource("/api/statistics", { query: { range: range.value } }, { isCached: true });
  useReload(statistics.reload, 15_000);
  return (
    <section class="stack" aria-labelledby="traffic">
      <div class="traffic-head">
        <h2 id="traffic">Traffic</h2>
        <Segmented
          label="Time range"
          value={range.value}
          choices={ranges}
          onChange={(value) => {
            range.value = value;
          }}
        />
      </div>
      <Loaded resource={statistics} rows={6}>
        {(data) => <Shown data={data} />}
      </Loaded>
      {/* The children do not wait for the statistics. */}
      <div class="overview-tables">
        {statistics.data && <Breakdown data={statistics.data} />}
        {children}
      </div>
    </section>
  );
}

/** The traffic of a server that was not called since it started: nothing, if there was no call before either. */
export function TrafficIfAny(): JSX.Element | null {
  const statistics = useResource("/api/statistics", { query: { range: "30d" } }, { isCached: true });
  return (figures.value?.calls ?? 0) > 0 || (statistics.data?.all.calls ?? 0) > 0 ? <Traffic /> : null;
}

const ranges = [
  { value: "1h", title: "1 h", label: "Last hour" },
  { value: "6h", title: "6 h", label: "Last 6 hours" },
  { value: "24h", title: "24 h", label: "Last 24 hours" },
  { value: "7d", title: "7 d", label: "Last 7 days" },
  { value: "30d", title: "30 d", label: "Last 30 days" },
] as const;

function Shown({ data }: { readonly data: CallStatisticsBody }): JSX.Element {
  const { all, points, stepMs } = data;
  const from = Date.parse(data.from);
  const since = data.from;
  const axis = { from, stepMs };
  const { denied, asked, invalid, errors } = failuresOf(all);
  const share = (number: number) => (number === 0 ? "–" : shareText(number, all.calls));
  return (
    <>
      <div class="traffic-figures">
        <Figure title="Calls" value={count(all.calls)} about={rateOf(data)} href={href("live", [], { since })} />
        <Figure
          title="Denied"
          value={share(denied)}
          tone={denied > 0 ? "warn" : undefined}
          about={plural(denied, "call")}
          hint="By a rule, a person or a limit"
        />
        <Figure
          title="Asked"
          value={share(asked)}
          tone={asked > 0 ? "info" : undefined}
          about={plural(asked, "call")}
          hint="Calls that had to wait for approval"
          href={href("live", [], { since, outcome: "APPROVAL_PENDING" })}
        />
        <Figure
          title="Invalid"
          value={share(invalid)}
          tone={invalid > 0 ? "bad" : undefined}
          about={plural(invalid, "call")}
          hint="Calls with wrong input or names"
        />
        <Figure
          title="Errors"
          value={share(errors)}
          tone={errors > 0 ? "bad" : undefined}
          about={plural(errors, "call")}
          hint="Calls that ran and failed"
          href={href("live", [], { since, outcome: "failed" })}
        />
        <Figure
          title="Run time, p95"
          value={ms(all.run.p95)}
          about={`${together(`p50 ${ms(all.run.p50)}`)}, ${together(`p99 ${ms(all.run.p99)}`)}`}
        />
      </div>
      <div class="traffic-charts">
        <div class="card traffic-chart">
          <TimeChart
            label="Calls over time"
            title={`Calls per ${chosenDuration(stepMs)}`}
            kind="bars"
            {...axis}
            format={count}
            series={[
              { name: "calls", tone: "accent", values: points.map(({ calls }) => calls) },
              { name: deniedOrFailed, tone: "bad", values: points.map((point) => point.failed - point.asked) },
            ]}
          />
        </div>
        <div class="card traffic-chart">
          <TimeChart
            label="Run time over time"
            title="Run time"
            kind="ranges"
            {...axis}
            format={shortDuration}
            series={[
              { name: "p50", tone: "good", values: points.map(({ run }) => run.p50) },
              { name: "p95", tone: "warn", values: points.map(({ run }) => run.p95) },
              { name: "p99", tone: "bad", values: points.map(({ run }) => run.p99) },
            ]}
          />
        </div>
      </div>
    </>
  );
}

/** `1 s` instead of `1.00 s`, because the values of an axis are round. */
function shortDuration(value: number): string {
  return duration(value).replace(/\.0+ /, " ");
}

function ms(value: number | null): string {
  return value === null ? "–" : duration(value);
}

/** Without line breaks at its spaces. */
function together(text: string): string {
  return text.replaceAll(" ", "\u00A0");
}

function rateOf({ all, points, stepMs }: CallStatisticsBody): string {
  const perMinute = all.calls / ((points.length * stepMs) / 60_000);
  return `${perMinute < 10 ? perMinute.toFixed(1) : count(Math.round(perMinute))} per minute`;
}
