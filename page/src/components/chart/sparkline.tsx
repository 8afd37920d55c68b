import type { JSX } from "preact";
import type { Tone } from "../badge.tsx";

/** A line without axes that fills its container. */
export function Sparkline(props: {
  readonly values: readonly number[];
  /** Accessible name with figures: `Calls per second in the last minute, at most 12`. */
  readonly label: string;
  readonly tone?: Tone;
  readonly height?: number;
  /** Minimum top of the scale. */
  readonly max?: number;
}): JSX.Element {
  const { values, label, height = 40 } = props;
  // A line of zeros is no sign of trouble.
  const tone = values.every((value) => value === 0) ? "plain" : (props.tone ?? "accent");
  const top = Math.max(props.max ?? 1, ...values) * 1.08;
  // Steps, because a count has no values in between.
  const points = values.flatMap((value, at) =>
    [at, at + 1].map((x) => `${((x / values.length) * 100).toFixed(2)},${(100 - (value / top) * 100).toFixed(2)}`),
  );
  return (
    <svg
      class={`sparkline tone-${tone}`}
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      style={{ height: `${height}px` }}
      role="img"
      aria-label={label}
    >
      {points.length > 1 && <path class="spark-area" d={`M0,100 L${points.join(" L")} L100,100 Z`} />}
      {points.length > 1 && <path class="spark-line" d={`M${points.join(" L")}`} />}
    </svg>
  );
}
