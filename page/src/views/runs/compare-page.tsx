import type { JSX } from "preact";
import type { TraceComparison } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { Page } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { plural } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { href, pageLocation, setQuery } from "../../router.ts";
import { CompareFacts } from "./compare-facts.tsx";
import { CompareSteps } from "./compare-steps.tsx";
import { CompareState } from "./compare-state.tsx";
import { DivergenceDiff, DivergenceText } from "./divergence.tsx";
import { compareHref } from "./picks.tsx";
import { positionIn } from "./positions.ts";
import { modelLabel } from "./run-name.tsx";
import { Scrubber } from "./scrubber.tsx";
import { sideNames } from "./side-names.ts";

/** Two rollouts side by side, starting at their first difference. */
export function ComparePage({ left, right }: { readonly left: string; readonly right: string }): JSX.Element {
  const comparison = useResource("/api/compare", { query: { left, right } });
  return (
    <Page
      title="Compare rollouts"
      about={comparison.data && <ComparedTitle comparison={comparison.data} />}
      parent={{
        title: comparison.data?.left.runTitle.slice(0, 160) ?? "Run",
        href: href("runs", [left.slice(0, Math.max(0, left.lastIndexOf(":")))]),
      }}
      actions={
        <LinkButton icon="compare" href={compareHref(right, left)}>
          Swap
        </LinkButton>
      }
    >
      <Loaded resource={comparison} rows={8}>
        {(data) => <Compared comparison={data} />}
      </Loaded>
    </Page>
  );
}

/** `lake-00 and lake-01, by claude-sonnet-4-5`. What both have in common is there once. */
function ComparedTitle({ comparison: { left, right } }: { readonly comparison: TraceComparison }): JSX.Element {
  const together = (one: string, other: string) => (
    <>
      <Text value={one} maxLength={60} isFixed />
      {one !== other && (
        <>
          {" and "}
          <Text value={other} maxLength={60} isFixed />
        </>
      )}
    </>
  );
  return (
    <>
      {together(left.rowId, right.rowId)}, by {together(modelLabel(left), modelLabel(right))}
    </>
  );
}

function Compared({ comparison }: { readonly comparison: TraceComparison }): JSX.Element {
  const { left, right, divergence } = comparison;
  const last = Math.max(left.trace.length, right.trace.length);
  // The position of the first step that differs.
  const firstDifference = divergence ? divergence.step + 1 : undefined;
  const at = positionIn(pageLocation.value.query["step"], last, Math.min(last, firstDifference ?? 0));
  const move = (to: number) => setQuery({ step: to });
  const names = sideNames(left, right);
  // Their prompts are different, too.
  const areTasksDifferent = left.rowId !== right.rowId || left.seed !== right.seed;
  return (
    <>
      <CompareFacts left={left} right={right} names={names} at={at} />
      {areTasksDifferent && (
        <div class="notice compare-warning tone-warn">
          <span class="grow">
            <b>Different tasks:</b> <Text value={taskOf(left)} maxLength={80} isFixed /> and{" "}
            <Text value={taskOf(right)} maxLength={80} isFixed />. Steps with the same number are of different tasks.
          </span>
          <LinkButton size="small" href={href("runs", [right.run], { query: left.rowId })}>
            Rollouts of the same task
          </LinkButton>
        </div>
      )}
      {!(areTasksDifferent && firstDifference === 0) && (
        <FirstDifference
          divergence={divergence}
          isHere={at === firstDifference}
          onGo={() => move(firstDifference ?? 0)}
        />
      )}
      <div class="card trace-scrubber">
        <Scrubber
          traces={[
            { name: names[0], title: "A, reward by step", steps: left.trace },
            { name: names[1], title: "B, reward by step", steps: right.trace },
          ]}
          at={at}
          mark={firstDifference}
          onMove={move}
        />
      </div>
      <CompareState key={at} left={left} right={right} names={names} at={at} isComparable={!areTasksDifferent} />
      <CompareSteps
        left={left}
        right={right}
        names={names}
        firstDifference={firstDifference}
        isComparable={!areTasksDifferent}
        at={at}
        onMove={move}
      />
    </>
  );
}

function taskOf({ rowId, seed }: TraceComparison["left"]): string {
  return seed === null || rowId.endsWith(`_${seed}`) ? rowId : `${rowId} with seed ${seed}`;
}

/** Describes the first difference. Shows the diff only if the state at that step does not show it. */
function FirstDifference(props: {
  readonly divergence: TraceComparison["divergence"];
  readonly isHere: boolean;
  readonly onGo: () => void;
}): JSX.Element {
  const { divergence, isHere, onGo } = props;
  if (!divergence)
    return <div class="notice">No differences: observations, calls and rewards are identical in every step.</div>;
  const { step, what } = divergence;
  const isVisibleThere = ["prompt", "tool_call", "message", "observation", "reward"].includes(what);
  return (
    <div class="notice">
      <div class="grow stack-tight">
        <span>
          <b>{differenceLead(step)}</b> <DivergenceText what={what} />.
        </span>
        {!isVisibleThere && <DivergenceDiff divergence={divergence} />}
      </div>
      {!isHere && (
        <Button size="small" icon="step" onClick={onGo}>
          Go to this step
        </Button>
      )}
    </div>
  );
}

function differenceLead(step: number): string {
  if (step < 0) return "They differ from the first message:";
  if (step === 0) return "They differ from the first step:";
  return `Identical for ${plural(step, "step")}. At step ${step + 1}:`;
}
