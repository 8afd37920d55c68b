import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { Badge } from "../../components/badge.tsx";
import { JsonDiff } from "../../components/diff.tsx";
import { Card } from "../../components/page.tsx";
import { Reward } from "../episodes/reward.tsx";
import { diffable } from "./divergence.tsx";
import { stateAt } from "./positions.ts";
import type { StepState } from "./positions.ts";
import { TurnMessages } from "./turn-messages.tsx";
import { turnsOf } from "./turns.ts";

/** What both traces say at the same position, and what differs. */
export function CompareState(props: {
  readonly left: TraceDetail;
  readonly right: TraceDetail;
  readonly at: number;
}): JSX.Element {
  const { left, right, at } = props;
  const [one, other] = [stateOf(left, at), stateOf(right, at)];
  const differences = one && other ? differencesOf(one, other) : [];
  return (
    <>
      <div class="split">
        <SideState trace={left} state={one} name="Left" />
        <SideState trace={right} state={other} name="Right" />
      </div>
      {differences.length > 0 && (
        <Card
          title="Differences"
          actions={
            <span class="small">
              <span class="text-bad">− left</span> <span class="text-good">+ right</span>
            </span>
          }
        >
          <div class="compare-differences">
            {differences.map(({ what, before, after }) => (
              <section key={what}>
                <h3 class="value-name">{what}</h3>
                <JsonDiff before={diffable(before)} after={diffable(after)} label={what} />
              </section>
            ))}
          </div>
        </Card>
      )}
    </>
  );
}

/** Undefined if the trace ended before. */
function stateOf(trace: TraceDetail, at: number): StepState | undefined {
  return at <= trace.trace.length ? stateAt(trace, at) : undefined;
}

function SideState(props: {
  readonly trace: TraceDetail;
  readonly state: StepState | undefined;
  readonly name: string;
}): JSX.Element {
  const { trace, state, name } = props;
  const turns = useMemo(() => turnsOf(trace), [trace]);
  const turn = state && turns[state.position];
  if (!state || !turn)
    return (
      <Card title={name}>
        <p class="muted">Ended before this step.</p>
      </Card>
    );
  const { step, total } = state;
  return (
    <Card
      title={name}
      actions={
        <span class="row small">
          {step?.call?.isError === true && <Badge tone="bad">failed</Badge>}
          <span class="muted num">
            {step && (
              <>
                reward <Reward value={step.reward} isSigned />,{" "}
              </>
            )}
            total <Reward value={total} />
          </span>
        </span>
      }
    >
      <TurnMessages turn={turn} label={`${name}, ${step ? `step ${state.position}` : "prompt"}`} />
    </Card>
  );
}

interface Difference {
  readonly what: string;
  readonly before: unknown;
  readonly after: unknown;
}

function differencesOf(one: StepState, other: StepState): readonly Difference[] {
  const all: readonly Difference[] = [
    { what: "Call", before: callOf(one), after: callOf(other) },
    { what: "Observation", before: one.observation, after: other.observation },
    { what: "Reward", before: rewardOf(one), after: rewardOf(other) },
    { what: "Messages", before: messagesOf(one), after: messagesOf(other) },
  ];
  return all.filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
}

function callOf({ step }: StepState): unknown {
  return step?.call
    ? { tool: step.call.tool, input: step.call.input, ...(step.call.isError && { isFailed: true }) }
    : null;
}

function rewardOf({ step, total }: StepState): unknown {
  return { reward: step?.reward ?? null, ...(step?.parts && { parts: step.parts }), total };
}

function messagesOf({ messages }: StepState): unknown {
  return messages.filter(({ role }) => role !== "tool").map(({ role, content }) => ({ role, content: content ?? "" }));
}
