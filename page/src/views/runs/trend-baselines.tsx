import type { JSX } from "preact";
import { relative } from "../../format.ts";
import { href } from "../../router.ts";
import { runTitle } from "./run-name.tsx";
import type { Trend } from "./trend-series.ts";

/** A level line for each baseline, with its name at the end that is farther from the points. Each opens its run. */
export function TrendBaselines(props: {
  readonly baselines: Trend["baselines"];
  readonly y: (value: number) => number;
  readonly from: number;
  readonly to: number;
  readonly format: (value: number) => string;
  /** The values of the first and the last run. */
  readonly ends: readonly [number, number];
}): JSX.Element {
  const { baselines, y, from, to, format, ends } = props;
  const sorted = baselines.toSorted((one, other) => other.value - one.value);
  return (
    <>
      {sorted.map(({ run, value }, at) => {
        const before = sorted[at - 1];
        // Two names at one height would cover each other.
        const isBelow = before !== undefined && y(value) - y(before.value) < labelHeight;
        const isAtStart = Math.abs(value - ends[0]) > Math.abs(value - ends[1]);
        const title = runTitle(run);
        return (
          <a
            key={run.id}
            class="trend-baseline"
            href={href("runs", [run.id])}
            aria-label={`Baseline ${title}: ${format(value)}, ${relative(run.startedAt)}`}
          >
            <title>{`Baseline ${title}: ${format(value)}`.slice(0, 200)}</title>
            <path class="trend-level-hit" d={`M${from} ${y(value)}H${to}`} />
            <path class="trend-level" d={`M${from} ${y(value)}H${to}`} />
            <text
              class="chart-tick trend-value"
              x={isAtStart ? from + 4 : to}
              y={y(value) + (isBelow ? 13 : -5)}
              text-anchor={isAtStart ? "start" : "end"}
            >
              {`${title.length > 24 ? `${title.slice(0, 23)}…` : title} ${format(value)}`}
            </text>
          </a>
        );
      })}
    </>
  );
}

const labelHeight = 15;
