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
  readonly x: number;
  readonly y: (value: number) => number;
  readonly tone: Tone;
  readonly facts: MeasureFacts;
  readonly hasValue: boolean;
  /** Heights of the baselines, which the value must not cover. */
  readonly levels: readonly number[];
}): JSX.Element {
  const { point, x, y, tone, facts, hasValue, levels } = props;
  const { run, value, error } = point;
  const text = `${facts.format(value)}${error > 0 ? ` ± ${facts.format(error)}` : ""}`;
  const share = isPartial(run) ? `${count(run.finished)}/${count(rolloutsOf(run))}` : undefined;
  const above = Math.max(top, y(value + error) - 8);
  const below = y(value - error) + 16;
  const isBelow = covers(above, levels) && !covers(below, levels);
  return (
    <a
      class={`trend-point tone-${tone}`}
      href={href("runs", [run.id])}
      aria-label={[
        `${runTitle(run)}, ${modelLabel(run).slice(0, 60)}: ${text}`,
        ...(share === undefined ? [] : [`${share} rollouts`]),
        relative(run.startedAt),
      ].join(", ")}
    >
      <title>{`${runTitle(run)}: ${text}${share === undefined ? "" : `, ${share} rollouts`}`.slice(0, 240)}</title>
      {error > 0 && <path class="trend-error" d={`M${x} ${y(value - error)}V${y(value + error)}`} />}
      <circle class="trend-hit" cx={x} cy={y(value)} r="12" />
      <circle class={`trend-dot ${share === undefined ? "" : "trend-dot-partial"}`} cx={x} cy={y(value)} r="4" />
      {hasValue && (
        <text class="chart-tick trend-value" x={x} y={isBelow ? below : above} text-anchor="middle">
          {facts.format(value)}
        </text>
      )}
      {share !== undefined && (
        <text class="chart-tick trend-value" x={x} y={isBelow ? below + 13 : below} text-anchor="middle">
          {share}
        </text>
      )}
    </a>
  );
}

/** True if a line at one of these heights goes through a text. */
function covers(baseline: number, levels: readonly number[]): boolean {
  return levels.some((level) => level > baseline - 12 && level < baseline + 4);
}

/** Values do not leave the chart. */
const top = 20;
