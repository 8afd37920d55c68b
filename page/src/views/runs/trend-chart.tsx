import type { JSX } from "preact";
import type { RunSummary } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import type { Tone } from "../../components/badge.tsx";
import { linear, tickLabel, ticks } from "../../components/chart/scale.ts";
import { useWidth } from "../../components/chart/use-width.ts";
import { Text } from "../../components/text.tsx";
import { percent, plural, relative } from "../../format.ts";
import { BaselineNames, TrendBaselines, marksOf } from "./trend-baselines.tsx";
import { TrendMark, isPartial } from "./trend-mark.tsx";
import { measures } from "./trend-measures.ts";
import type { Measure } from "./trend-measures.ts";
import { maxLines, noTag, trendOf } from "./trend-series.ts";
import type { TrendGroup, TrendPoint } from "./trend-series.ts";

/**
 * Runs from left to right, oldest first: a point each, with its standard error, a line for each model or tag, and a
 * level for each baseline.
 */
export function TrendChart(props: {
  readonly runs: readonly RunSummary[];
  readonly measure: Measure;
  readonly group: TrendGroup;
}): JSX.Element {
  const { runs, measure, group } = props;
  const [element, width] = useWidth();
  const facts = measures[measure];
  const { points, baselines, series } = trendOf(runs, { group, ...facts });
  const newest = points.at(-1);
  const withoutValue = runs.filter((run) => facts.valueOf(run) === null).length;
  if (!newest) return <p class="muted">No run has a value yet.</p>;
  const last = newest.at;
  const all = [...points, ...baselines];
  // More lines than colours would share them, so that all get one.
  const toneOf = (name: string) =>
    (series.length <= maxLines && (name === noTag ? "plain" : tones[series.indexOf(name)])) || "accent";
  const yTicks = ticks(
    Math.min(...all.map(({ value, error }) => value - error)),
    Math.max(...all.map(({ value, error }) => value + error)),
  );
  const hasNamesBeside = baselines.length > 0 && width >= 640;
  const right = hasNamesBeside ? 136 : 8;
  const x = linear([-0.5, Math.max(0.5, points.length - 0.5)], [left, width - right]);
  // In narrow charts, the first and the last value.
  const hasValues = (width - right - left) / points.length >= 52;
  // Above the highest line is space for a value and for the name of the axis.
  const y = linear([yTicks[0] ?? 0, yTicks.at(-1) ?? 1], [height - bottom, 34]);
  const every = Math.max(1, Math.ceil(points.length / Math.max(1, Math.floor((width - left) / 104))));
  const isAtEdge = x(last) + labelWidth / 2 > width - right;
  const levels = {
    baselines,
    y,
    from: left,
    to: width - right,
    format: facts.format,
    marks: marksOf(points, x, y),
    isBeside: hasNamesBeside,
  } as const;
  return (
    <figure class="chart run-trend">
      <div ref={element} class="chart-box">
        <svg width={width} height={height} role="group" aria-label={`${facts.title} of ${plural(all.length, "run")}`}>
          <text class="chart-tick" x={0} y={12}>
            {facts.axis}
          </text>
          {yTicks.map((tick) => (
            <g key={tick}>
              <path class="chart-grid" d={`M${left} ${y(tick)}H${width - right}`} />
              <text class="chart-tick" x={left - 8} y={y(tick) + 4} text-anchor="end">
                {measure === "pass" ? percent(tick) : tickLabel(tick, yTicks)}
              </text>
            </g>
          ))}
          {points.map(
            ({ run, at }) =>
              at % every === 0 &&
              x(at) < x(last) - labelWidth && (
                <text key={run.id} class="chart-tick" x={x(at)} y={height - bottom + 18} text-anchor="middle">
                  {pointLabel(run)}
                </text>
              ),
          )}
          <text
            class="chart-tick"
            x={isAtEdge ? width - right : x(last)}
            y={height - bottom + 18}
            text-anchor={isAtEdge ? "end" : "middle"}
          >
            {pointLabel(newest.run)}
          </text>
          <TrendBaselines {...levels} />
          {series.map((name) => (
            <path
              key={name}
              class={`chart-line tone-${toneOf(name)}`}
              d={pathOf(
                points.filter((point) => point.series === name),
                x,
                y,
              )}
            />
          ))}
          {points.map((point, at) => (
            <TrendMark
              key={point.run.id}
              point={point}
              around={[
                points.slice(0, at).findLast(({ series }) => series === point.series),
                points.slice(at + 1).find(({ series }) => series === point.series),
              ]}
              x={x(point.at)}
              y={y}
              from={left}
              to={width - right}
              tone={toneOf(point.series)}
              facts={facts}
              hasValue={hasValues || at === 0 || point === newest}
            />
          ))}
          <BaselineNames {...levels} />
        </svg>
      </div>
      <figcaption class="chart-caption">
        {series.length <= maxLines ? (
          series.map((name) => (
            <span key={name} class={`tone-${toneOf(name)}`}>
              <span class="chart-key" aria-hidden="true" /> <Text value={name} maxLength={40} isFixed />
            </span>
          ))
        ) : (
          <span class="muted">{plural(series.length, group)}</span>
        )}
        {baselines.length > 0 && (
          <span class="muted">
            <span class="trend-baseline-key" aria-hidden="true" /> tagged baseline
          </span>
        )}
        {points.some(({ run }) => isPartial(run)) && (
          <span class="muted">
            <span class="trend-partial-key" aria-hidden="true" /> not all rollouts finished
          </span>
        )}
        <span class="muted trend-order">
          oldest run first
          {measure === "reward" || measure === "score" ? ", ± standard error" : ""}
          {withoutValue > 0 && `; ${plural(withoutValue, "run")} without a ${measure} not shown`}
        </span>
      </figcaption>
    </figure>
  );
}

const tones: readonly Tone[] = ["accent", "good", "info", "warn", "bad"];

function pathOf(points: readonly TrendPoint[], x: (at: number) => number, y: (value: number) => number): string {
  return `M${points.map((point) => `${x(point.at).toFixed(1)},${y(point.value).toFixed(1)}`).join("L")}`;
}

/** The name of a run, or when it began: runs of one target without names have the same title. */
function pointLabel({ name, startedAt }: RunSummary): string {
  if (name === null) return relative(startedAt);
  return name.length > 15 ? `${name.slice(0, 14)}…` : name;
}

const height = 240;
const labelWidth = 90;
const [left, bottom] = [48, 28];
