import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { Badge } from "../../components/badge.tsx";
import { JsonDiff } from "../../components/diff.tsx";
import { Segmented } from "../../components/field.tsx";
import { Card } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { pageLocation, setQuery } from "../../router.ts";
import { useIsWide } from "../../use-is-wide.ts";
import { Reward } from "../episodes/reward.tsx";
import { parsedValue } from "../episodes/value-view.tsx";
import { LetteredTitle } from "./compare-facts.tsx";
import { diffable } from "./divergence.tsx";
import { embeddedValue } from "./embedded-value.ts";
import { stateAt } from "./positions.ts";
import type { StepState } from "./positions.ts";
import { rolloutTitle } from "./rollout-name.tsx";
import { letterOf } from "./run-letter.tsx";
import type { SideNames } from "./side-names.ts";
import { TurnMessages } from "./turn-messages.tsx";
import { turnsOf } from "./turns.ts";

/** What both traces say at the same position, and what differs. */
export function CompareState(props: {
  readonly left: TraceDetail;
  readonly right: TraceDetail;
  readonly names: SideNames;
  readonly at: number;
  /** False for different tasks, of which everything is different. */
  readonly isComparable: boolean;
}): JSX.Element {
  const { left, right, names, at, isComparable } = props;
  const [one, other] = [stateOf(left, at), stateOf(right, at)];
  const differences = one && other && isComparable ? differencesOf(one, other) : [];
  const isWide = useIsWide(720);
  const chosen = pageLocation.value.query["side"];
  const side = chosen === "right" || (chosen === "differences" && isComparable) ? chosen : "left";
  const shows = (part: Part) => isWide || side === part;
  return (
    <>
      {!isWide && (
        <Segmented
          label="Part to show"
          value={side}
          choices={partsOf(names).filter(({ value }) => isComparable || value !== "differences")}
          onChange={(next) => setQuery({ side: next })}
        />
      )}
      {(shows("left") || shows("right")) && (
        <div class={isWide ? "split" : undefined}>
          {shows("left") && <SideState trace={left} state={one} name={names[0]} side={0} />}
          {shows("right") && <SideState trace={right} state={other} name={names[1]} side={1} />}
        </div>
      )}
      {shows("differences") && <Differences differences={differences} isWide={isWide} />}
    </>
  );
}

type Part = "left" | "right" | "differences";

/** A phone shows one at a time. Its tables say which letter long names have. */
function partsOf(names: SideNames): readonly { readonly value: Part; readonly title: string }[] {
  const [left = "", right = ""] = names.map((name, side) => (name.length > 16 ? `Rollout ${letterOf(side)}` : name));
  return [
    { value: "left", title: left },
    { value: "right", title: right },
    { value: "differences", title: "Differences" },
  ];
}

function Differences(props: {
  readonly differences: readonly Difference[];
  readonly isWide: boolean;
}): JSX.Element | null {
  const { differences, isWide } = props;
  if (differences.length === 0)
    return isWide ? null : <p class="muted">Nothing differs in this step, or one rollout ended before.</p>;
  return (
    <Card
      title="Differences"
      actions={
        <span class="small">
          <span class="text-bad">− only in {letterOf(0)}</span> <span class="text-good">+ only in {letterOf(1)}</span>
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
  readonly side: number;
}): JSX.Element {
  const { trace, state, name, side } = props;
  const turns = useMemo(() => turnsOf(trace), [trace]);
  const turn = state && turns[state.position];
  const title = (
    <LetteredTitle side={side}>
      <Text value={rolloutTitle(trace)} maxLength={80} isFixed />
    </LetteredTitle>
  );
  if (!state || !turn)
    return (
      <Card title={title}>
        <p class="muted">Ended before this step.</p>
      </Card>
    );
  const { step, total } = state;
  return (
    <Card
      title={title}
      actions={
        <span class="row small">
          {step?.call?.isError === true && <Badge tone="bad">failed</Badge>}
          <span class="muted num">
            reward{" "}
            {step && (
              <>
                <Reward value={step.reward} isSigned />,{" "}
              </>
            )}
            so far <Reward value={total} />
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
  const isInMessages = isObservationSaid(one) && isObservationSaid(other);
  const all: readonly Difference[] = [
    { what: "Call", before: callOf(one), after: callOf(other) },
    ...(isInMessages ? [] : [{ what: "Observation", before: one.observation, after: other.observation }]),
    { what: "Reward", before: rewardOf(one), after: rewardOf(other) },
    { what: "Messages", before: messagesOf(one), after: messagesOf(other) },
  ];
  return all.filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
}

/** True if the messages contain the observation, so that its differences are among theirs. */
function isObservationSaid(state: StepState): boolean {
  return JSON.stringify(messagesOf(state)).includes(JSON.stringify(parsedValue(state.observation)));
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
  return messages.filter(({ role }) => role !== "tool").map(({ role, content }) => ({ role, content: shown(content) }));
}

/** JSON in a text is compared as a value, not as one long line. */
function shown(content: unknown): unknown {
  if (typeof content !== "string") return content ?? "";
  const embedded = embeddedValue(content);
  return embedded ? [embedded.lead, embedded.value] : content;
}
