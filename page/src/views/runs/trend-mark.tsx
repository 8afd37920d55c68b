import type { JSX } from "preact";
import type { RunSummary } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import type { Tone } from "../../components/badge.tsx";
import { count, relative } from "../../format.ts";
import { href } from "../../router.ts";
import { modelLabel, runTitle } from "./run-name.tsx";
import { rolloutsOf } from "./run-status.tsx";
import type { MeasureFacts } from "./trend-measures.ts";
import type { TrendPoint } from "./trend-series.ts";

/** True if a run stopped early or is still played: its value may change. */
export function isPartial(run: RunSummary): boolean {
  return run.status !== "finished" && run.status !== "failed" && run.finished < rolloutsOf(run);
}

/** A run in a trend. That of a run without all its rollouts is hollow, with their count. */
export function TrendMark(props: {
  readonly point: TrendPoint;
  /** The points before and after it on its line. */
  readonly around: readonly [before: TrendPoint | undefined, after: TrendPoint | undefined];
  readonly x: number;
  readonly y: (value: number) => number;
  /** The ends of the chart. */
  readonly from: number;
  readonly to: number;
  readonly tone: Tone;
  readonly facts: MeasureFacts;
  readonly hasValue: boolean;
}): JSX.Element {
  const { point, around, x, y, from, to, tone, facts, hasValue } = props;
  const { run, value, error } = point;
  const text = `${facts.format(value)}${error > 0 ? ` ± ${facts.format(error)}` : ""}`;
  const share = isPartial(run) ? `${count(run.finished)} of ${count(rolloutsOf(run))} rollouts` : undefined;
  const below = y(value - error) + 16;
  const [isFallen, willRise] = [(around[0]?.value ?? -Infinity) > value, (around[1]?.value ?? -Infinity) > value];
  const isLowest = isFallen && willRise;
  // Where the line does not go: above and left of a point that it rises to, right of one that it falls to.
  const isRight = isFallen || x - valueWidth < from;
  const place = isLowest
    ? ({ x, y: below, "text-anchor": "middle" } as const)
    : ({
        x: x + (isRight ? 7 : -7),
        y: y(value) + (isRight && willRise ? 15 : -7),
        "text-anchor": isRight ? "start" : "end",
      } as const);
  const isAtEdge = x + shareWidth / 2 > to;
  return (
    <>
      <a
        class={`trend-point tone-${tone}`}
        href={href("runs", [run.id])}
        aria-label={[
          `${runTitle(run)}, ${modelLabel(run).slice(0, 60)}: ${text}`,
          ...(share === undefined ? [] : [share]),
          relative(run.startedAt),
        ].join(", ")}
      >
        <title>{`${runTitle(run)}: ${text}${share === undefined ? "" : `, ${share}`}`.slice(0, 240)}</title>
        {error > 0 && <path class="trend-error" d={`M${x} ${y(value - error)}V${y(value + error)}`} />}
        <circle class="trend-hit" cx={x} cy={y(value)} r="12" />
        <circle class={`trend-dot ${share === undefined ? "" : "trend-dot-partial"}`} cx={x} cy={y(value)} r="4" />
      </a>
      <g class="trend-names" aria-hidden="true">
        {hasValue && (
          <text class="chart-tick trend-value" {...place}>
            {facts.format(value)}
          </text>
        )}
        {share !== undefined && (
          <text
            class="chart-tick trend-value"
            x={isAtEdge ? to : x}
            y={hasValue && isLowest ? below + 13 : below}
            text-anchor={isAtEdge ? "end" : "middle"}
          >
            {share}
          </text>
        )}
      </g>
    </>
  );
}

const shareWidth = 94;
const valueWidth = 40;
