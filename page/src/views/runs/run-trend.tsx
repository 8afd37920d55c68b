import type { JSX } from "preact";
import { useEvents } from "../../events.ts";
import { Segmented } from "../../components/field.tsx";
import { Card } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { useResource } from "../../resource.ts";
import { pageLocation, setQuery } from "../../router.ts";
import { useThrottled } from "../episodes/live-list.ts";
import { TrendChart, measures } from "./trend-chart.tsx";
import type { Measure } from "./trend-chart.tsx";

/** How the runs of one target changed over time. */
export function RunTrend({ target }: { readonly target: string }): JSX.Element {
  const runs = useResource("/api/runs", { query: { target, order: "-started", limit: maxRuns } }, { isCached: true });
  useEvents("runs", useThrottled(runs.reload, 2000));
  const { measure: chosen = "" } = pageLocation.value.query;
  const measure = chosen in measures ? (chosen as Measure) : "reward";
  const available = (Object.keys(measures) as Measure[]).filter(
    (each) =>
      each === "reward" || each === "pass" || runs.data?.runs.some((run) => measures[each].valueOf(run) !== null),
  );
  return (
    <Card
      title={
        <>
          Trend of <Text value={target} maxLength={80} isFixed />
        </>
      }
      actions={
        <Segmented
          label="Measure"
          value={measure}
          choices={available.map((value) => ({ value, title: measures[value].title }))}
          onChange={(value) => setQuery({ measure: value === "reward" ? undefined : value })}
        />
      }
    >
      <Loaded resource={runs}>{({ runs: found }) => <TrendChart runs={found.toReversed()} measure={measure} />}</Loaded>
    </Card>
  );
}

/** More points would touch each other. */
const maxRuns = 100;
