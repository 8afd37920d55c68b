import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { OpenedTrace } from "../../../../src/desk/contract.ts";
import { Card } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { plural } from "../../format.ts";
import { shortInput } from "../episodes/episode-steps.tsx";
import { Reward } from "../episodes/reward.tsx";

type TraceStep = OpenedTrace["trace"][number];

/** All steps of both, one beside the other. What they have in common is folded. */
export function CompareSteps(props: {
  readonly left: OpenedTrace;
  readonly right: OpenedTrace;
  /** The first position at which they are not the same. */
  readonly parting: number | undefined;
  readonly at: number;
  readonly onMove: (at: number) => void;
}): JSX.Element {
  const { left, right, parting, at, onMove } = props;
  const last = Math.max(left.trace.length, right.trace.length);
  const common = Math.min(last, parting === undefined ? last : Math.max(0, parting - 1));
  const [isWhole, setWhole] = useState(false);
  const [most, setMost] = useState(100);
  const from = isWhole ? 0 : common;
  const shown = Array.from({ length: Math.min(most, last - from) }, (_, index) => from + index + 1);
  return (
    <Card title="Step by step" isFlush>
      <table class="compare-steps" aria-label="Steps of both">
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
                  {plural(from, "step")} the same
                </button>
              </td>
            </tr>
          )}
          {shown.map((position) => (
            <tr
              key={position}
              class={position > common ? "compare-apart" : undefined}
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
              <Deed step={left.trace[position - 1]} />
              <Deed step={right.trace[position - 1]} />
            </tr>
          ))}
        </tbody>
      </table>
      {last - from > most && (
        <button type="button" class="more compare-more" onClick={() => setMost(most * 4)}>
          {plural(last - from - most, "more step")}
        </button>
      )}
    </Card>
  );
}

function Deed({ step }: { readonly step: TraceStep | undefined }): JSX.Element {
  if (!step)
    return (
      <td colSpan={2} class="muted">
        over
      </td>
    );
  const said = step.messages.find(({ role }) => role === "assistant")?.content;
  return (
    <>
      <td class="compare-deed">
        {step.call ? (
          <span class={step.call.isError ? "mono text-bad" : "mono"}>
            <span class="compare-tool">
              <Text value={step.call.name} most={40} isFixed />{" "}
            </span>
            <Text value={shortInput(step.call.input)} most={80} isFixed />
          </span>
        ) : (
          <Text value={typeof said === "string" && said !== "" ? said : "spoke"} most={80} isFixed />
        )}
      </td>
      <td class="end">
        <Reward value={step.reward} isSigned />
      </td>
    </>
  );
}
