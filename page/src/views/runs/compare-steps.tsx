import { Fragment } from "preact";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { Card } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { plural } from "../../format.ts";
import { useIsWide } from "../../use-is-wide.ts";
import { shortInput } from "../episodes/episode-steps.tsx";
import { Reward } from "../episodes/reward.tsx";
import { RunLetter } from "./run-letter.tsx";
import type { SideNames } from "./side-names.ts";

type TraceStep = TraceDetail["trace"][number];

/** All steps of both traces side by side. Identical steps are folded. */
export function CompareSteps(props: {
  readonly left: TraceDetail;
  readonly right: TraceDetail;
  readonly names: SideNames;
  /** The first position that differs. */
  readonly firstDifference: number | undefined;
  /** False for different tasks: no step is marked. */
  readonly isComparable: boolean;
  readonly at: number;
  readonly onMove: (at: number) => void;
}): JSX.Element {
  const { left, right, names, firstDifference, isComparable, at, onMove } = props;
  const last = Math.max(left.trace.length, right.trace.length);
  const same = firstDifference === undefined ? last : Math.max(0, firstDifference - 1);
  const common = isComparable ? Math.min(last, same) : 0;
  const [isWhole, setWhole] = useState(false);
  const isWide = useIsWide(720);
  const [maxShown, setMaxShown] = useState(100);
  const from = isWhole ? 0 : common;
  const shown = Array.from({ length: Math.min(maxShown, last - from) }, (_, index) => from + index + 1);
  return (
    <Card
      title="Steps"
      isFlush
      actions={isComparable && common < last && <span class="muted small">different from step {common + 1}</span>}
    >
      <table class="compare-steps" aria-label="Steps of both rollouts">
        <thead>
          <tr>
            <th scope="col">Step</th>
            {isWide ? (
              names.map((name, side) => (
                <Fragment key={name}>
                  <th scope="col">
                    <RunLetter at={side} /> <Text value={name} maxLength={80} isFixed />
                  </th>
                  <th scope="col" class="end">
                    Reward
                  </th>
                </Fragment>
              ))
            ) : (
              <th scope="col" colSpan={2}>
                <span class="compare-legend compare-reward">Reward</span>
                {names.map((name, side) => (
                  <span key={name} class="compare-legend">
                    <RunLetter at={side} /> <Text value={name} maxLength={80} isFixed />
                  </span>
                ))}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {from > 0 && (
            <tr>
              <td colSpan={isWide ? 5 : 3}>
                <button type="button" class="more" onClick={() => setWhole(true)}>
                  {plural(from, "identical step")}
                </button>
              </td>
            </tr>
          )}
          {shown.map((position) => (
            <tr
              key={position}
              class={isComparable && position > common ? "compare-different" : undefined}
              aria-current={position === at ? "step" : undefined}
            >
              <td>
                <button
                  type="button"
                  class="compare-go num"
                  aria-label={`Go to step ${position}`}
                  onClick={() => onMove(position)}
                >
                  {position}
                </button>
              </td>
              {isWide ? (
                <>
                  <StepCells step={left.trace[position - 1]} />
                  <StepCells step={right.trace[position - 1]} />
                </>
              ) : (
                <td colSpan={2}>
                  <StepLine side={0} step={left.trace[position - 1]} />
                  <StepLine side={1} step={right.trace[position - 1]} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {last - from > maxShown && (
        <button type="button" class="more compare-more" onClick={() => setMaxShown(maxShown * 4)}>
          {plural(last - from - maxShown, "more step")}
        </button>
      )}
    </Card>
  );
}

function StepCells({ step }: { readonly step: TraceStep | undefined }): JSX.Element {
  if (!step)
    return (
      <td colSpan={2} class="muted">
        ended
      </td>
    );
  return (
    <>
      <td class="compare-call">
        <StepCall step={step} />
      </td>
      <td class="end">
        <Reward value={step.reward} isSigned />
      </td>
    </>
  );
}

/** One side of a step on a phone, where both are below each other. */
function StepLine({ side, step }: { readonly side: 0 | 1; readonly step: TraceStep | undefined }): JSX.Element {
  return (
    <div class="compare-line">
      <RunLetter at={side} />
      <span class="compare-call">{step ? <StepCall step={step} /> : <span class="muted">ended</span>}</span>
      {step && <Reward value={step.reward} isSigned />}
    </div>
  );
}

function StepCall({ step }: { readonly step: TraceStep }): JSX.Element {
  const text = step.messages.find(({ role }) => role === "assistant")?.content;
  if (!step.call)
    return <Text value={typeof text === "string" && text !== "" ? text : "message"} maxLength={80} isFixed />;
  return (
    <span class={step.call.isError ? "mono text-bad" : "mono"}>
      <Text value={step.call.tool} maxLength={40} isFixed />{" "}
      <Text value={shortInput(step.call.input)} maxLength={80} isFixed />
    </span>
  );
}
