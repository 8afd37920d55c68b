import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { Button } from "../../components/button.tsx";
import { useStepKeys } from "./step-keys.ts";
import { Strip } from "./strip.tsx";

type Steps = TraceDetail["trace"];

/** Navigates the steps of one or two traces: a reward strip for each, a slider and keys. */
export function Scrubber(props: {
  readonly traces: readonly { readonly name: string; readonly title: string; readonly steps: Steps }[];
  readonly at: number;
  readonly onMove: (at: number) => void;
  /** The first difference of two traces. */
  readonly mark?: number | undefined;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { traces, at, onMove, children } = props;
  const last = Math.max(0, ...traces.map(({ steps }) => steps.length));
  // The current step is highlighted already.
  const mark = props.mark === at ? undefined : props.mark;
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
      {traces.map(({ name, title, steps }) => (
        <Strip key={name} name={name} title={title} steps={steps} at={at} last={last} mark={mark} onMove={move} />
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
      <StepNumbers last={last} />
      <div class="scrubber-foot">
        <div class="row-tight">
          <Button
            kind="quiet"
            size="small"
            icon="left"
            label="Previous step"
            isDisabled={at === 0}
            onClick={() => move(at - 1)}
          />
          <Button
            size="small"
            icon={isPlaying ? "pause" : "play"}
            label={isPlaying ? "Pause" : "Play the steps"}
            isDisabled={last === 0}
            onClick={toggle}
          />
          <Button
            kind="quiet"
            size="small"
            icon="right"
            label="Next step"
            isDisabled={at >= last}
            onClick={() => move(at + 1)}
          />
        </div>
        <span class="strong num" aria-live="polite">
          {at === 0 ? "Before the first step" : `Step ${at} of ${last}`}
        </span>
        {mark !== undefined && mark <= last && (
          <span class="muted small">
            <span class="strip-mark-key" aria-hidden="true" /> first difference
          </span>
        )}
        {children}
      </div>
    </div>
  );
}

/** Numbers below the slider, of every step or, if there are many, of every fifth, tenth … */
function StepNumbers({ last }: { readonly last: number }): JSX.Element {
  const every = distances.find((distance) => last / distance <= maxNumbers) ?? last;
  const numbers = Array.from({ length: Math.floor(last / every) }, (_, at) => (at + 1) * every);
  return (
    <div class="scrubber-numbers" aria-hidden="true">
      {numbers.map((number) => (
        <span key={number} style={{ insetInlineStart: `${(number / last) * 100}%` }}>
          {number}
        </span>
      ))}
    </div>
  );
}

const distances = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const maxNumbers = 12;

const stepMs = 650;
