import type { JSX } from "preact";
import { useEvents } from "../../events.ts";
import { Segmented } from "../../components/field.tsx";
import { Card } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { useResource } from "../../resource.ts";
import { pageLocation, setQuery } from "../../router.ts";
import { useThrottled } from "../episodes/live-list.ts";
import { TrendChart } from "./trend-chart.tsx";
import { measures } from "./trend-measures.ts";
import type { Measure } from "./trend-measures.ts";
import { usualGroup } from "./trend-series.ts";

/** How the runs of one target changed over time. */
export function RunTrend(props: {
  readonly target: string;
  readonly model: string;
  readonly tag: string;
}): JSX.Element {
  const { target } = props;
  const runs = useResource("/api/runs", { query: { ...props, order: "-started", limit: maxRuns } }, { isCached: true });
  useEvents("runs", useThrottled(runs.reload, 2000));
  const { measure: chosen = "", lines = "" } = pageLocation.value.query;
  const measure = chosen in measures ? (chosen as Measure) : "reward";
  const found = runs.data?.runs ?? [];
  const available = (Object.keys(measures) as Measure[]).filter(
    (each) => each === "reward" || each === "pass" || found.some((run) => measures[each].valueOf(run) !== null),
  );
  const usual = usualGroup(found);
  const group = lines === "model" || lines === "tag" ? lines : usual;
  const hasTags = found.some(({ tags }) => tags.length > 0);
  return (
    <Card
      class="run-trend-card"
      title={
        <>
          Trend of <Text value={target} maxLength={80} isFixed />
        </>
      }
      actions={
        <>
          {hasTags && (
            <Segmented
              label="Lines"
              isLabelShown
              value={group}
              choices={{ model: "By model", tag: "By tag" }}
              onChange={(value) => setQuery({ lines: value === usual ? undefined : value })}
            />
          )}
          <Segmented
            label="Measure"
            isLabelShown
            value={measure}
            choices={available.map((value) => ({ value, title: measures[value].title }))}
            onChange={(value) => setQuery({ measure: value === "reward" ? undefined : value })}
          />
        </>
      }
    >
      <Loaded resource={runs}>
        {(data) => <TrendChart runs={data.runs.toReversed()} measure={measure} group={group} />}
      </Loaded>
    </Card>
  );
}

/** More points would touch each other. */
const maxRuns = 100;
