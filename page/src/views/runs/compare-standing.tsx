import type { JSX } from "preact";
import type { OpenedTrace } from "../../../../src/desk/contract.ts";
import { Badge } from "../../components/badge.tsx";
import { JsonDiff } from "../../components/diff.tsx";
import { Card } from "../../components/page.tsx";
import { Seen } from "../episodes/seen.tsx";
import { Reward } from "../episodes/reward.tsx";
import { diffable } from "./divergence.tsx";
import { Messages } from "./messages.tsx";
import { standingAt } from "./positions.ts";
import type { Standing } from "./positions.ts";
import { StepCall } from "./step-facts.tsx";

/** Where both stand at the same position, and in what they differ there. */
export function CompareStanding(props: {
  readonly left: OpenedTrace;
  readonly right: OpenedTrace;
  readonly at: number;
}): JSX.Element {
  const { left, right, at } = props;
  const [one, other] = [standingOf(left, at), standingOf(right, at)];
  const differences = one && other ? differencesOf(one, other) : [];
  return (
    <>
      <div class="split">
        <HalfStanding standing={one} name="Left" />
        <HalfStanding standing={other} name="Right" />
      </div>
      {differences.map(({ what, before, after }) => (
        <Card
          key={what}
          title={
            <>
              {what} <span class="text-bad">− left</span> <span class="text-good">+ right</span>
            </>
          }
        >
          <JsonDiff before={diffable(before)} after={diffable(after)} label={what} />
        </Card>
      ))}
    </>
  );
}

/** Nothing where it was over before. */
function standingOf(trace: OpenedTrace, at: number): Standing | undefined {
  return at <= trace.trace.length ? standingAt(trace, at) : undefined;
}

function HalfStanding({
  standing,
  name,
}: {
  readonly standing: Standing | undefined;
  readonly name: string;
}): JSX.Element {
  if (!standing)
    return (
      <Card title={name}>
        <p class="muted">It was over by then.</p>
      </Card>
    );
  const { step, observation, messages, total } = standing;
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
            in all <Reward value={total} />
          </span>
        </span>
      }
    >
      <div class="stack">
        {step && <StepCall call={step.call} />}
        <Seen value={observation} label={`${name}: observation`} />
        {hasWords(messages) && <Messages messages={messages} />}
      </div>
    </Card>
  );
}

/** Calls and their results are shown above; words are not. */
function hasWords(messages: Standing["messages"]): boolean {
  return messages.some(({ role, content }) => role !== "tool" && typeof content === "string" && content !== "");
}

interface Difference {
  readonly what: string;
  readonly before: unknown;
  readonly after: unknown;
}

function differencesOf(one: Standing, other: Standing): readonly Difference[] {
  const all: readonly Difference[] = [
    { what: "Call", before: callOf(one), after: callOf(other) },
    { what: "Observation", before: one.observation, after: other.observation },
    { what: "Reward", before: rewardOf(one), after: rewardOf(other) },
    { what: "Words", before: wordsOf(one), after: wordsOf(other) },
  ];
  return all.filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
}

function callOf({ step }: Standing): unknown {
  return step?.call
    ? { tool: step.call.name, input: step.call.input, ...(step.call.isError && { isFailed: true }) }
    : null;
}

function rewardOf({ step, total }: Standing): unknown {
  return { reward: step?.reward ?? null, ...(step?.parts && { parts: step.parts }), total };
}

function wordsOf({ messages }: Standing): unknown {
  return messages.filter(({ role }) => role !== "tool").map(({ role, content }) => ({ role, content: content ?? "" }));
}
