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
  /** True if there is space for the names beside the lines. */
  readonly isBeside: boolean;
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
          {/* Between two rows of pixels one line would look thinner than another. */}
          <path class="trend-level" d={`M${from} ${Math.round(y(value)) + 0.5}H${to}`} />
        </a>
      ))}
    </>
  );
}

/**
 * The names of the baselines: beside the lines, or in small charts at the end that is farther from the points. Drawn
 * last, over every line.
 */
export function BaselineNames(levels: Levels): JSX.Element {
  const { baselines, y, from, to, format, ends, isBeside } = levels;
  const sorted = baselines.toSorted((one, other) => other.value - one.value);
  if (isBeside) return <NamesBeside {...levels} baselines={sorted} />;
  return (
    <g class="trend-names" aria-hidden="true">
      {sorted.map(({ run, value }, at) => {
        const before = sorted[at - 1];
        // Two names at one height would cover each other.
        const isBelow = before !== undefined && y(value) - y(before.value) < labelHeight;
        const isAtStart = Math.abs(value - ends[0]) > Math.abs(value - ends[1]);
        return (
          <text
            key={run.id}
            class="chart-tick trend-value"
            x={isAtStart ? from + 4 : to}
            y={y(value) + (isBelow ? 13 : -5)}
            text-anchor={isAtStart ? "start" : "end"}
          >
            {`${shortTitle(run, 24)} ${format(value)}`}
          </text>
        );
      })}
    </g>
  );
}

/** `baselines` from the highest to the lowest. */
function NamesBeside({ baselines, y, to, format }: Levels): JSX.Element {
  let lowest = -Infinity;
  const names = baselines.map(({ run, value }) => {
    lowest = Math.max(y(value) + 4, lowest + labelHeight);
    return { run, value, at: lowest };
  });
  return (
    <g class="trend-names" aria-hidden="true">
      {names.map(({ run, value, at }) => (
        <text key={run.id} class="chart-tick trend-value" x={to + 6} y={at}>
          {`${shortTitle(run, 15)} ${format(value)}`}
        </text>
      ))}
    </g>
  );
}

function shortTitle(run: Trend["baselines"][number]["run"], maxLength: number): string {
  const title = runTitle(run);
  return title.length > maxLength ? `${title.slice(0, maxLength - 1)}…` : title;
}

const labelHeight = 15;
