import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { OpenedTrace } from "../../../../src/desk/contract.ts";
import { Button } from "../../components/button.tsx";
import { useWidth } from "../../components/chart/use-width.ts";
import { decimal } from "../../format.ts";
import { isBad } from "./positions.ts";
import { useStepKeys } from "./step-keys.ts";

type Steps = OpenedTrace["trace"];

/** A way through the steps of one trace, or of two together: a strip of rewards for each, a slider, and keys. */
export function Scrubber(props: {
  readonly traces: readonly { readonly name: string; readonly steps: Steps }[];
  readonly at: number;
  readonly onMove: (at: number) => void;
  /** Where two traces part. */
  readonly mark?: number | undefined;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { traces, at, onMove, mark, children } = props;
  const last = Math.max(0, ...traces.map(({ steps }) => steps.length));
  const [isPlaying, setPlaying] = useState(false);
  const toggle = () => {
    if (!isPlaying && at >= last) onMove(0);
    setPlaying(!isPlaying);
  };
  const move = (to: number) => {
    setPlaying(false);
    onMove(to);
  };
  useStepKeys({ at, last, move, toggle });
  useEffect(() => {
    if (!isPlaying) return;
    if (at >= last) return setPlaying(false);
    const timer = setTimeout(() => onMove(at + 1), stepMs);
    return () => clearTimeout(timer);
  }, [isPlaying, at, last]);
  return (
    <div class="scrubber">
      {traces.map(({ name, steps }) => (
        <Strip key={name} name={name} steps={steps} at={at} last={last} mark={mark} onMove={move} />
      ))}
      <input
        class="scrubber-range"
        type="range"
        min={0}
        max={last}
        step={1}
        value={at}
        aria-label="Step"
        aria-valuetext={at === 0 ? "Before the first step" : `Step ${at} of ${last}`}
        onInput={(event) => move(Number(event.currentTarget.value))}
      />
      <div class="scrubber-foot">
        <div class="row-tight">
          <Button
            kind="quiet"
            size="small"
            icon="left"
            label="The step before"
            isDisabled={at === 0}
            onClick={() => move(at - 1)}
          />
          <Button
            size="small"
            icon={isPlaying ? "pause" : "play"}
            label={isPlaying ? "Pause" : "Play through the steps"}
            isDisabled={last === 0}
            onClick={toggle}
          />
          <Button
            kind="quiet"
            size="small"
            icon="right"
            label="The next step"
            isDisabled={at >= last}
            onClick={() => move(at + 1)}
          />
        </div>
        <span class="strong num" aria-live="polite">
          {at === 0 ? "Before the first step" : `Step ${at} of ${last}`}
        </span>
        {children}
      </div>
    </div>
  );
}

const stepMs = 650;
const height = 44;
const thumb = 16;

/** Rewards as bars up and down from a line, errors as points above them: a drawing of three paths, however many there are. */
function Strip(props: {
  readonly name: string;
  readonly steps: Steps;
  readonly at: number;
  readonly last: number;
  readonly mark: number | undefined;
  readonly onMove: (at: number) => void;
}): JSX.Element {
  const { name, steps, at, last, mark, onMove } = props;
  const [element, width] = useWidth(800);
  const x = (position: number) => thumb / 2 + (last === 0 ? 0 : (position / last) * (width - thumb));
  const rewards = steps.map(({ reward }) => reward ?? 0);
  const most = Math.max(1e-9, ...rewards.map(Math.abs));
  const hasLess = rewards.some((reward) => reward < 0);
  const ground = hasLess ? height * 0.6 : height - 6;
  const scale = hasLess ? height * 0.36 : height - 18;
  const bars = (fits: (reward: number) => boolean) =>
    rewards
      .map((reward, index) => (fits(reward) ? `M${x(index + 1)} ${ground}v${-(reward / most) * scale}` : ""))
      .join("");
  const size = Math.max(1, Math.min(14, ((width - thumb) / Math.max(1, last)) * 0.62));
  const total = rewards.reduce((sum, reward) => sum + reward, 0);
  return (
    <div
      ref={element}
      class="strip"
      onPointerDown={(event) => {
        const place = event.clientX - (element.current?.getBoundingClientRect().left ?? 0);
        onMove(Math.round(Math.min(1, Math.max(0, (place - thumb / 2) / (width - thumb))) * last));
      }}
    >
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={`${name}: ${steps.length} steps, reward ${decimal(total)}`}
        style={{ strokeWidth: `${size}px` }}
      >
        <rect
          class="strip-at"
          x={x(at) - Math.max(size, 6) / 2 - 2}
          y="0"
          width={Math.max(size, 6) + 4}
          height={height}
          rx="3"
        />
        <path class="strip-ground" d={`M${x(0)} ${ground}H${x(steps.length)}`} />
        <path class="strip-none" d={rewards.map((_, index) => `M${x(index + 1)} ${ground - 2}v4`).join("")} />
        <path class="strip-more" d={bars((reward) => reward > 0)} />
        <path class="strip-less" d={bars((reward) => reward < 0)} />
        <path
          class="strip-bad"
          d={steps.map((step, index) => (isBad(step) ? `M${x(index + 1)} 4v0.01` : "")).join("")}
        />
        {mark !== undefined && mark <= last && <path class="strip-mark" d={`M${x(mark)} 0V${height}`} />}
      </svg>
    </div>
  );
}
