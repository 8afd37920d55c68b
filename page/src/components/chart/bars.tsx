import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { count, decimal } from "../../format.ts";
import type { Tone } from "../badge.tsx";
import { linear, ticks } from "./scale.ts";
import { useWidth } from "./use-width.ts";

export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** How often values fall where. */
export function Histogram(props: {
  readonly label: string;
  readonly bins: readonly Bin[];
  readonly xTitle: string;
  readonly height?: number;
  /** A bin can be chosen, such as to see what is in it. */
  readonly onOpen?: (bin: Bin) => void;
}): JSX.Element {
  const { label, bins, xTitle, height = 180, onOpen } = props;
  const [element, width] = useWidth();
  const [near, setNear] = useState<Bin>();
  const yTicks = ticks(0, Math.max(1, ...bins.map((bin) => bin.count)), 3);
  const y = linear([0, yTicks.at(-1) ?? 1], [height - bottom, top]);
  const step = (width - left - right) / Math.max(1, bins.length);
  const every = Math.max(1, Math.ceil(44 / step));
  if (bins.length === 0) return <p class="muted">Nothing to draw yet.</p>;
  return (
    <figure class="chart">
      <div ref={element} class="chart-box" onPointerLeave={() => setNear(undefined)}>
        <svg width={width} height={height} role="img" aria-label={`${label}. ${bins.map(inWords).join("; ")}.`}>
          {yTicks.map((tick) => (
            <g key={tick}>
              <path class="chart-grid" d={`M${left} ${y(tick)}H${width - right}`} />
              <text class="chart-tick" x={left - 8} y={y(tick) + 4} text-anchor="end">
                {count(tick)}
              </text>
            </g>
          ))}
          {bins.map((bin, at) => (
            <g key={at} onPointerEnter={() => setNear(bin)} onClick={() => onOpen?.(bin)}>
              <rect class="chart-hit" x={left + at * step} y={top} width={step} height={height - top - bottom} />
              <rect
                class="chart-bar tone-accent"
                x={left + at * step + 1}
                y={y(bin.count)}
                width={Math.max(1, step - 2)}
                height={Math.max(bin.count > 0 ? 2 : 0, y(0) - y(bin.count))}
                rx="2"
              />
              {at % every === 0 && (
                <text class="chart-tick" x={left + at * step} y={height - bottom + 18} text-anchor="middle">
                  {decimal(bin.from, 2)}
                </text>
              )}
            </g>
          ))}
        </svg>
        {near && <div class="chart-tip chart-tip-corner">{inWords(near)}</div>}
      </div>
      <figcaption class="chart-caption">
        <span class="muted grow end">{xTitle}</span>
      </figcaption>
    </figure>
  );
}

/** Parts of a whole by name, the largest first: failures by reason, calls by tool. */
export function Bars(props: {
  readonly label: string;
  readonly bars: readonly {
    readonly name: string;
    readonly value: number;
    readonly tone?: Tone;
    readonly href?: string;
  }[];
}): JSX.Element {
  const sorted = [...props.bars].sort((a, b) => b.value - a.value);
  const most = Math.max(1, ...sorted.map(({ value }) => value));
  return (
    <ul class="bars" aria-label={props.label}>
      {sorted.map(({ name, value, tone = "accent", href }) => (
        <li key={name} class={`tone-${tone}`}>
          {href === undefined ? (
            <span class="bar-name">{name}</span>
          ) : (
            <a class="bar-name" href={href}>
              {name}
            </a>
          )}
          <span class="bar-track" aria-hidden="true">
            <span class="bar" style={{ width: `${(value / most) * 100}%` }} />
          </span>
          <span class="num">{count(value)}</span>
        </li>
      ))}
    </ul>
  );
}

const [left, right, top, bottom] = [40, 8, 8, 26];

function inWords({ from, to, count: number }: Bin): string {
  return `${decimal(from, 3)} to ${decimal(to, 3)}: ${count(number)}`;
}
