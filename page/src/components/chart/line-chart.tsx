import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { decimal, precise } from "../../format.ts";
import type { Tone } from "../badge.tsx";
import { linear, tickLabel, ticks } from "./scale.ts";
import { useWidth } from "./use-width.ts";

export interface Series {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
  readonly tone?: Tone;
  /** Draws points instead of a line. */
  readonly isScattered?: boolean;
}

/** A line chart with a tooltip. The accessible name summarizes each series. */
export function LineChart(props: {
  readonly label: string;
  readonly series: readonly Series[];
  /** Short lines at the bottom, for events without a value. */
  readonly marks?: { readonly name: string; readonly tone: Tone; readonly at: readonly number[] } | undefined;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly height?: number;
}): JSX.Element {
  const { label, series, marks, xTitle, yTitle, height = 220 } = props;
  const [element, width] = useWidth();
  const [near, setNear] = useState<number>();
  const all = series.flatMap(({ points }) => points);
  const yTicks = ticks(Math.min(...all.map(({ y }) => y)), Math.max(...all.map(({ y }) => y)));
  const xTicks = ticks(Math.min(...all.map(({ x }) => x)), Math.max(...all.map(({ x }) => x)), width < 420 ? 3 : 6);
  const isWhole = all.every((each) => Number.isInteger(each.x));
  const [xLeast, xMost] = [Math.min(...all.map(({ x }) => x)), Math.max(...all.map(({ x }) => x))];
  const x = linear(xLeast === xMost ? [xLeast - 1, xMost + 1] : [xLeast, xMost], [left, width - right]);
  // Marks are below the lines.
  const y = linear([yTicks[0] ?? 0, yTicks.at(-1) ?? 1], [height - bottom - (marks ? 12 : 4), top]);
  const lead = series.find(({ isScattered }) => isScattered !== true) ?? series[0];
  const point = near === undefined ? undefined : lead?.points[near];
  const follow = (event: PointerEvent) => {
    const box = element.current?.getBoundingClientRect();
    if (!box || !lead) return;
    setNear(
      nearest(
        lead.points.map((each) => x(each.x)),
        event.clientX - box.left,
      ),
    );
  };
  if (all.length === 0) return <p class="muted">No data yet.</p>;
  return (
    <figure class="chart">
      <div ref={element} class="chart-box" onPointerMove={follow} onPointerLeave={() => setNear(undefined)}>
        <svg width={width} height={height} role="img" aria-label={summary(label, series)}>
          {yTicks.map((tick) => (
            <g key={tick}>
              <path class="chart-grid" d={`M${left} ${y(tick)}H${width - right}`} />
              <text class="chart-tick" x={left - 8} y={y(tick) + 4} text-anchor="end">
                {tickLabel(tick, yTicks)}
              </text>
            </g>
          ))}
          {[...new Set([xLeast, ...xTicks.filter((tick) => x(tick) > left + 24 && x(tick) < x(xMost) - 40), xMost])]
            .filter((tick) => !isWhole || Number.isInteger(tick))
            .map((tick) => (
              <text
                key={tick}
                class="chart-tick"
                x={x(tick)}
                y={height - bottom + 18}
                text-anchor={
                  xLeast === xMost ? "middle" : tick === xMost ? "end" : tick === xLeast ? "start" : "middle"
                }
              >
                {decimal(tick)}
              </text>
            ))}
          {series.map(({ name, points, tone = "accent", isScattered }) => (
            <g key={name} class={`tone-${tone}`}>
              {isScattered === true || points.length === 1 ? (
                points.map((each, at) => <circle key={at} class="chart-point" cx={x(each.x)} cy={y(each.y)} r="2.5" />)
              ) : (
                <path
                  class="chart-line"
                  d={`M${points.map((each) => `${x(each.x).toFixed(1)},${y(each.y).toFixed(1)}`).join("L")}`}
                />
              )}
            </g>
          ))}
          {marks && (
            <g class={`tone-${marks.tone}`}>
              {marks.at.map((at) => (
                <path key={at} class="chart-mark" d={`M${x(at).toFixed(1)} ${height - bottom}v-8`} />
              ))}
            </g>
          )}
          {point && <path class="chart-cross" d={`M${x(point.x)} ${top}V${height - bottom}`} />}
        </svg>
        {point && near !== undefined && (
          <div class="chart-tip" style={{ left: `${Math.min(Math.max(x(point.x), 70), width - 70)}px` }}>
            <span class="muted">
              {xTitle} {decimal(point.x)}
            </span>
            {series.map(({ name, points, tone = "accent", isScattered }) => (
              <span key={name} class={`tone-${tone}`}>
                <span class={keyClass(isScattered)} aria-hidden="true" /> {name} <b>{precise(points[near]?.y)}</b>
              </span>
            ))}
          </div>
        )}
      </div>
      <figcaption class="chart-caption">
        {series.map(({ name, tone = "accent", isScattered }) => (
          <span key={name} class={`tone-${tone}`}>
            <span class={keyClass(isScattered)} aria-hidden="true" /> {name}
          </span>
        ))}
        {marks && marks.at.length > 0 && (
          <span class={`tone-${marks.tone}`}>
            <span class="chart-key chart-key-mark" aria-hidden="true" /> {marks.name}
          </span>
        )}
        <span class="muted grow end">
          {yTitle} by {xTitle}
        </span>
      </figcaption>
    </figure>
  );
}

const [left, right, top, bottom] = [44, 8, 12, 28];

function keyClass(isScattered = false): string {
  return isScattered ? "chart-key chart-key-dot" : "chart-key";
}

function nearest(positions: readonly number[], wanted: number): number {
  let best = 0;
  for (const [at, position] of positions.entries())
    if (Math.abs(position - wanted) < Math.abs((positions[best] ?? 0) - wanted)) best = at;
  return best;
}

function summary(label: string, series: readonly Series[]): string {
  const parts = series.map(({ name, points }) => {
    const values = points.map(({ y }) => y);
    return `${name}: from ${precise(values[0])} to ${precise(values.at(-1))}, minimum ${precise(Math.min(...values))}, maximum ${precise(Math.max(...values))}`;
  });
  return `${label}. ${parts.join(". ")}.`;
}
