import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { useWidth } from "../../components/chart/use-width.ts";
import { decimal, plural } from "../../format.ts";
import { isBad } from "./positions.ts";

type Steps = TraceDetail["trace"];

/**
 * Rewards as bars around a baseline, errors as dots above. Uses a few paths for any number of steps. A click selects the
 * step.
 */
export function Strip(props: {
  readonly name: string;
  /** What is shown of the name. */
  readonly title: string;
  readonly steps: Steps;
  readonly at: number;
  readonly last: number;
  readonly mark: number | undefined;
  readonly onMove: (at: number) => void;
}): JSX.Element {
  const { name, title, steps, at, last, mark, onMove } = props;
  const [element, width] = useWidth(800);
  const { baseline, none, more, less, bad, total } = useMemo(
    () => pathsOf(steps, { last, width }),
    [steps, last, width],
  );
  const x = (position: number) => xOf(position, { last, width });
  const size = Math.max(1, Math.min(14, ((width - thumb) / Math.max(1, last)) * 0.62));
  const here = Math.max(size, 6) + 4;
  return (
    <div
      ref={element}
      class="strip"
      onPointerDown={(event) => {
        const offset = event.clientX - (element.current?.getBoundingClientRect().left ?? 0);
        onMove(Math.round(Math.min(1, Math.max(0, (offset - thumb / 2) / (width - thumb))) * last));
      }}
    >
      <span class="strip-name" aria-hidden="true">
        {title}
      </span>
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={`${name}: ${plural(steps.length, "step")}, reward ${decimal(total)}`}
        style={{ strokeWidth: `${size}px` }}
      >
        <rect class="strip-at" x={x(at) - here / 2} y="0" width={here} height={height} rx="3" />
        <path class="strip-baseline" d={`M${x(0)} ${baseline}H${x(steps.length)}`} />
        <path class="strip-none" d={none} />
        <path class="strip-more" d={more} />
        <path class="strip-less" d={less} />
        <path class="strip-bad" d={bad} />
        {mark !== undefined && mark <= last && <path class="strip-mark" d={`M${x(mark)} 0V${height}`} />}
      </svg>
    </div>
  );
}

const height = 44;

/** Width of the slider's thumb, so that both align. */
const thumb = 16;

interface StripSize {
  readonly last: number;
  readonly width: number;
}

function xOf(position: number, { last, width }: StripSize): number {
  return thumb / 2 + (last === 0 ? 0 : (position / last) * (width - thumb));
}

function pathsOf(steps: Steps, size: StripSize) {
  const rewards = steps.map(({ reward }) => reward ?? 0);
  const max = rewards.reduce((so, reward) => Math.max(so, Math.abs(reward)), 1e-9);
  const hasLess = rewards.some((reward) => reward < 0);
  const baseline = hasLess ? height * 0.6 : height - 6;
  const scale = hasLess ? height * 0.36 : height - 18;
  const drawn = (draw: (reward: number, at: number) => string | false) =>
    rewards.map((reward, at) => draw(reward, at) || "").join("");
  const from = (at: number, y: number) => `M${xOf(at + 1, size).toFixed(1)} ${y}`;
  const bar = (reward: number, at: number) => `${from(at, baseline)}v${(-(reward / max) * scale).toFixed(1)}`;
  return {
    baseline,
    none: drawn((_, at) => `${from(at, baseline - 2)}v4`),
    more: drawn((reward, at) => reward > 0 && bar(reward, at)),
    less: drawn((reward, at) => reward < 0 && bar(reward, at)),
    bad: steps.map((step, at) => (isBad(step) ? `${from(at, 4)}v0.01` : "")).join(""),
    total: rewards.reduce((sum, reward) => sum + reward, 0),
  };
}
