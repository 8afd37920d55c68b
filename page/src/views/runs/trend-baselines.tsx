import type { JSX } from "preact";
import { relative } from "../../format.ts";
import { href } from "../../router.ts";
import { runTitle } from "./run-name.tsx";
import type { Trend } from "./trend-series.ts";

interface Levels {
  readonly baselines: Trend["baselines"];
  readonly y: (value: number) => number;
  readonly from: number;
  readonly to: number;
  readonly format: (value: number) => string;
  /** The values of the first and the last run. */
  readonly ends: readonly [number, number];
}

/** A level line for each baseline, which opens its run. */
export function TrendBaselines({ baselines, y, from, to, format }: Levels): JSX.Element {
  return (
    <>
      {baselines.map(({ run, value }) => (
        <a
          key={run.id}
          class="trend-baseline"
          href={href("runs", [run.id])}
          aria-label={`Baseline ${runTitle(run)}: ${format(value)}, ${relative(run.startedAt)}`}
        >
          <title>{`Baseline ${runTitle(run)}: ${format(value)}`.slice(0, 200)}</title>
          <rect class="trend-level-hit" x={from} y={y(value) - 7} width={Math.max(0, to - from)} height={14} />
          <path class="trend-level" d={`M${from} ${y(value)}H${to}`} />
        </a>
      ))}
    </>
  );
}

/** The names of the baselines, each at the end that is farther from the points. Drawn last, over every line. */
export function BaselineNames({ baselines, y, from, to, format, ends }: Levels): JSX.Element {
  const sorted = baselines.toSorted((one, other) => other.value - one.value);
  return (
    <g class="trend-names" aria-hidden="true">
      {sorted.map(({ run, value }, at) => {
        const before = sorted[at - 1];
        // Two names at one height would cover each other.
        const isBelow = before !== undefined && y(value) - y(before.value) < labelHeight;
        const isAtStart = Math.abs(value - ends[0]) > Math.abs(value - ends[1]);
        const title = runTitle(run);
        return (
          <text
            key={run.id}
            class="chart-tick trend-value"
            x={isAtStart ? from + 4 : to}
            y={y(value) + (isBelow ? 13 : -5)}
            text-anchor={isAtStart ? "start" : "end"}
          >
            {`${title.length > 24 ? `${title.slice(0, 23)}…` : title} ${format(value)}`}
          </text>
        );
      })}
    </g>
  );
}

const labelHeight = 15;
