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
  /** A wide, pale line. Lines drawn over it stay visible, and so does it where the values are equal. */
  readonly isPale?: boolean;
}

/** Values over time, as stacked bars or as lines. The pointer and the arrow keys show the values of one step. */
export function TimeChart(props: {
  readonly label: string;
  readonly kind: "bars" | "lines";
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
  const top = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const yTicks = ticks(0, top === 0 ? 1 : top, 3);
  const x = linear([0, Math.max(1, steps)], [left, width - right]);
  const y = linear([0, yTicks.at(-1) ?? 1], [height - bottom, above]);
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
          <span key={each.name} class={classOf(each)}>
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
          {labelled(steps, width).map((step) => (
            <text key={step} class="chart-tick" x={x(step)} y={height - 6} text-anchor={anchorOf(step, steps)}>
              {step === steps && isNow(timeOf(step), stepMs) ? "now" : timeLabel(timeOf(step), stepMs * steps)}
            </text>
          ))}
          {near !== undefined && (
            <rect class="chart-near" x={x(near)} y={above} width={x(1) - x(0)} height={height - bottom - above} />
          )}
          {(kind === "lines" ? series.toReversed() : series).map((each) => (
            <g key={each.name} class={classOf(each)}>
              {kind === "lines" ? (
                <Lines values={each.values} x={(step) => x(step + 0.5)} y={y} />
              ) : (
                each.values.map((value, step) =>
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
                )
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
              <span key={each.name} class={classOf(each)}>
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

function classOf({ tone, isPale = false }: TimeSeries): string {
  return `tone-${tone}${isPale ? " chart-pale" : ""}`;
}

function textAt({ values }: TimeSeries, step: number, format: (value: number) => string): string {
  const value = values[step] ?? null;
  return value === null ? "–" : format(value);
}

/** Runs of values. A single one between gaps is a dot, because a line needs two. */
function Lines(props: {
  readonly values: readonly (number | null)[];
  readonly x: (step: number) => number;
  readonly y: (value: number) => number;
}): JSX.Element {
  const { values, x, y } = props;
  const parts: string[] = [];
  const alone: { readonly step: number; readonly value: number }[] = [];
  for (const [step, value] of values.entries()) {
    if (value === null) continue;
    const isFirst = (values[step - 1] ?? null) === null;
    if (isFirst && (values[step + 1] ?? null) === null) alone.push({ step, value });
    else parts.push(`${isFirst ? "M" : "L"}${x(step).toFixed(1)},${y(value).toFixed(1)}`);
  }
  return (
    <>
      {parts.length > 0 && <path class="chart-line" d={parts.join("")} />}
      {alone.map(({ step, value }) => (
        <circle key={step} class="chart-dot" cx={x(step)} cy={y(value)} r="2.5" />
      ))}
    </>
  );
}

/** The steps with a label: the first, the end, and some between that leave space for the end. */
function labelled(steps: number, width: number): readonly number[] {
  const every = Math.max(1, Math.ceil(steps / Math.max(2, Math.floor(width / 120))));
  const space = (80 / Math.max(1, width - left - right)) * steps;
  const between = Array.from({ length: Math.ceil(steps / every) }, (_, at) => at * every);
  return [...between.filter((step) => step < steps - space), steps];
}

function anchorOf(step: number, steps: number): "start" | "middle" | "end" {
  return step === 0 ? "start" : step === steps ? "end" : "middle";
}

/** True in the last step: it is not over yet. */
function isNow(end: Date, stepMs: number): boolean {
  return Math.abs(Date.now() - end.getTime()) <= stepMs;
}

function timeLabel(time: Date, rangeMs: number): string {
  return rangeMs > 2 * 86_400_000
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
