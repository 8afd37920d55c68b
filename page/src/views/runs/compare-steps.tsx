import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { Card } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { plural } from "../../format.ts";
import { shortInput } from "../episodes/episode-steps.tsx";
import { Reward } from "../episodes/reward.tsx";

type TraceStep = TraceDetail["trace"][number];

/** All steps of both traces side by side. Identical steps are folded. */
export function CompareSteps(props: {
  readonly left: TraceDetail;
  readonly right: TraceDetail;
  /** The first position that differs. */
  readonly firstDifference: number | undefined;
  readonly at: number;
  readonly onMove: (at: number) => void;
}): JSX.Element {
  const { left, right, firstDifference, at, onMove } = props;
  const last = Math.max(left.trace.length, right.trace.length);
  const common = Math.min(last, firstDifference === undefined ? last : Math.max(0, firstDifference - 1));
  const [isWhole, setWhole] = useState(false);
  const [maxShown, setMaxShown] = useState(100);
  const from = isWhole ? 0 : common;
  const shown = Array.from({ length: Math.min(maxShown, last - from) }, (_, index) => from + index + 1);
  return (
    <Card title="Steps" isFlush>
      <table class="compare-steps" aria-label="Steps of both rollouts">
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col" colSpan={2}>
              Left
            </th>
            <th scope="col" colSpan={2}>
              Right
            </th>
          </tr>
        </thead>
        <tbody>
          {from > 0 && (
            <tr>
              <td colSpan={5}>
                <button type="button" class="more" onClick={() => setWhole(true)}>
                  {plural(from, "identical step")}
                </button>
              </td>
            </tr>
          )}
          {shown.map((position) => (
            <tr
              key={position}
              class={position > common ? "compare-different" : undefined}
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
              <StepCells step={left.trace[position - 1]} />
              <StepCells step={right.trace[position - 1]} />
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
  const text = step.messages.find(({ role }) => role === "assistant")?.content;
  return (
    <>
      <td class="compare-call">
        {step.call ? (
          <span class={step.call.isError ? "mono text-bad" : "mono"}>
            <span class="compare-tool">
              <Text value={step.call.tool} maxLength={40} isFixed />{" "}
            </span>
            <Text value={shortInput(step.call.input)} maxLength={80} isFixed />
          </span>
        ) : (
          <Text value={typeof text === "string" && text !== "" ? text : "message"} maxLength={80} isFixed />
        )}
      </td>
      <td class="end">
        <Reward value={step.reward} isSigned />
      </td>
    </>
  );
}
