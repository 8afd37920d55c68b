import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { Tone } from "../badge.tsx";
import { linear, ticks } from "./scale.ts";
import { useWidth } from "./use-width.ts";

/** One value for each step of time. Null where there is nothing to show. */
export interface TimeSeries {
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly tone: Tone;
}

/**
 * Values over time: as bars, or as ranges from the first series to the last with a mark for each, on a logarithmic scale,
 * because few values are a hundred times the others. The pointer and the arrow keys show the values of one step. */
export function TimeChart(props: {
  readonly label: string;
  readonly kind: "bars" | "ranges";
  readonly series: readonly TimeSeries[];
  /** Milliseconds since 1970 of the first step, and from one step to the next. */
  readonly from: number;
  readonly stepMs: number;
  readonly format: (value: number) => string;
  readonly height?: number;
  readonly title?: ComponentChildren;
}): JSX.Element {
  const { label, kind, series, from, stepMs, format, height = 150 } = props;
  const [element, width] = useWidth();
  const [near, setNear] = useState<number>();
  const steps = series[0]?.values.length ?? 0;
  const isRange = kind === "ranges";
  const known = series.flatMap(({ values }) => values.flatMap((value) => (value === null ? [] : [value])));
  const top = Math.max(0, ...known);
  const yTicks = isRange ? powersOfTen(known) : ticks(0, top === 0 ? 1 : top * 1.05, 3);
  const x = linear([0, Math.max(1, steps)], [left, width - right]);
  const place = (value: number) => (isRange ? Math.log10(Math.max(value, yTicks[0] ?? 1)) : value);
  const scale = linear([place(yTicks[0] ?? 0), place(yTicks.at(-1) ?? 1)], [height - bottom, above]);
  const y = (value: number) => scale(place(value));
  const timeOf = (step: number) => new Date(from + step * stepMs);
  const move = (event: PointerEvent) => {
    const box = element.current?.getBoundingClientRect();
    if (!box) return;
    const step = Math.floor(((event.clientX - box.left - left) / (width - left - right)) * steps);
    setNear(step >= 0 && step < steps ? step : undefined);
  };
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    setNear(Math.min(steps - 1, Math.max(0, (near ?? steps) + by)));
  };
  return (
    <figure class="chart">
      <figcaption class="chart-caption">
        {props.title !== undefined && <span class="strong grow">{props.title}</span>}
        {series.map((each) => (
          <span key={each.name} class={`tone-${each.tone}`}>
            <span class="chart-key" aria-hidden="true" /> {each.name}
          </span>
        ))}
      </figcaption>
      <div
        ref={element}
        class="chart-box"
        tabIndex={0}
        role="group"
        aria-label={`${label}. Arrow keys show the values of a time.`}
        onPointerMove={move}
        onPointerLeave={() => setNear(undefined)}
        onBlur={() => setNear(undefined)}
        onKeyDown={onKey}
      >
        <svg width={width} height={height} role="img" aria-label={summary(label, series, format)}>
          {yTicks.map((tick) => (
            <g key={tick}>
              <path class="chart-grid" d={`M${left} ${y(tick)}H${width - right}`} />
              <text class="chart-tick" x={left - 8} y={y(tick) + 4} text-anchor="end">
                {format(tick)}
              </text>
            </g>
          ))}
          {labelled({ from, stepMs, steps, space: width - left - right }).map((step) => (
            <text
              key={step}
              class="chart-tick"
              x={x(step)}
              y={height - 6}
              text-anchor={step === steps ? "end" : x(step) < left + 16 ? "start" : "middle"}
            >
              {step === steps && isNow(timeOf(step), stepMs) ? "now" : timeLabel(timeOf(step), stepMs * steps)}
            </text>
          ))}
          {near !== undefined && (
            <rect class="chart-near" x={x(near)} y={above} width={x(1) - x(0)} height={height - bottom - above} />
          )}
          {isRange && <Ranges series={series} x={x} y={y} />}
          {!isRange &&
            series.map((each) => (
              <g key={each.name} class={`tone-${each.tone}`}>
                {each.values.map((value, step) =>
                  value === null || value === 0 ? null : (
                    <rect
                      key={step}
                      class="chart-bar"
                      x={x(step) + 0.5}
                      y={Math.min(y(value), y(0) - 1.5)}
                      width={Math.max(1, x(1) - x(0) - 1)}
                      height={Math.max(1.5, y(0) - y(value))}
                    />
                  ),
                )}
              </g>
            ))}
        </svg>
        {near !== undefined && (
          <div
            class="chart-tip"
            role="status"
            style={{ left: `${Math.min(Math.max(x(near + 0.5), 84), Math.max(84, width - 84))}px` }}
          >
            <span class="muted">{exactLabel(timeOf(near))}</span>
            {series.map((each) => (
              <span key={each.name} class={`tone-${each.tone}`}>
                <span class="chart-key" aria-hidden="true" /> {each.name} <b>{textAt(each, near, format)}</b>
              </span>
            ))}
          </div>
        )}
      </div>
    </figure>
  );
}

const [left, right, above, bottom] = [52, 6, 8, 24];

function textAt({ values }: TimeSeries, step: number, format: (value: number) => string): string {
  const value = values[step] ?? null;
  return value === null ? "–" : format(value);
}

/** For each step, a bar from the lowest to the highest value, and a mark for each value. */
function Ranges(props: {
  readonly series: readonly TimeSeries[];
  readonly x: (step: number) => number;
  readonly y: (value: number) => number;
}): JSX.Element {
  const { series, x, y } = props;
  const width = Math.max(2, x(1) - x(0) - 1);
  const [lowest, highest] = [series[0]?.values ?? [], series.at(-1)?.values ?? []];
  return (
    <>
      {lowest.map((low, step) => {
        const high = highest[step] ?? null;
        if (low === null || high === null) return null;
        return (
          <rect key={step} class="chart-range" x={x(step) + 0.5} y={y(high)} width={width} height={y(low) - y(high)} />
        );
      })}
      {/* Of equal values, the first is visible. */}
      {series.toReversed().map(({ name, tone, values }) => (
        <g key={name} class={`tone-${tone}`}>
          {values.map((value, step) =>
            value === null ? null : (
              <rect key={step} class="chart-value" x={x(step) + 0.5} y={y(value) - 1} width={width} height="2" />
            ),
          )}
        </g>
      ))}
    </>
  );
}

/** Where a logarithmic axis has labels: powers of ten around all values. */
function powersOfTen(values: readonly number[]): readonly number[] {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return [1, 10];
  const least = Math.floor(Math.log10(Math.min(...positive)));
  const most = Math.max(least + 1, Math.ceil(Math.log10(Math.max(...positive))));
  return Array.from({ length: most - least + 1 }, (_, at) => 10 ** (least + at));
}

interface TimeAxis {
  readonly from: number;
  readonly stepMs: number;
  readonly steps: number;
  /** Its width in pixels. */
  readonly space: number;
}

/** The steps with a label: round local times, and the end. */
function labelled({ from, stepMs, steps, space }: TimeAxis): readonly number[] {
  const range = steps * stepMs;
  const every = intervals.find((each) => (range / each) * labelSpace <= space) ?? range;
  const zone = new Date(from).getTimezoneOffset() * minuteMs;
  const first = Math.ceil((from - zone) / every) * every + zone;
  const round = Array.from({ length: Math.ceil(range / every) }, (_, at) => (first + at * every - from) / stepMs);
  const last = steps - (labelSpace / space) * 0.75 * steps;
  return [...round.filter((step) => step <= last), steps];
}

const labelSpace = 80;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const intervals = [
  ...[5, 10, 15, 30].map((number) => number * minuteMs),
  ...[1, 2, 3, 4, 6, 12].map((number) => number * hourMs),
  ...[1, 2, 5, 10].map((number) => number * dayMs),
];

/** True in the last step: it is not over yet. */
function isNow(end: Date, stepMs: number): boolean {
  return Math.abs(Date.now() - end.getTime()) <= stepMs;
}

function timeLabel(time: Date, rangeMs: number): string {
  return rangeMs > 2 * dayMs
    ? time.toLocaleDateString("en-GB", { day: "numeric", month: "short" })
    : time.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

function exactLabel(time: Date): string {
  return time.toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

function summary(label: string, series: readonly TimeSeries[], format: (value: number) => string): string {
  const parts = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    return known.length === 0 ? `${name}: none` : `${name}: at most ${format(Math.max(...known))}`;
  });
  return `${label}. ${parts.join(", ")}.`;
}
