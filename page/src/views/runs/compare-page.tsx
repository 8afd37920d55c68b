import type { JSX } from "preact";
import type { Comparison, OpenedTrace } from "../../../../src/desk/contract.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { Card, Facts, Page } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Duration } from "../../components/time.tsx";
import { count, plural } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { href, place, setQuery } from "../../router.ts";
import { traceHref } from "../episodes/episode-kin.tsx";
import { Reward } from "../episodes/reward.tsx";
import { CompareSteps } from "./compare-steps.tsx";
import { CompareStanding } from "./compare-standing.tsx";
import { DivergenceDiff, DivergenceWord } from "./divergence.tsx";
import { compareHref } from "./picks.tsx";
import { positionIn } from "./positions.ts";
import { ReasonBadge } from "./reasons.tsx";
import { AgentName } from "./run-list.tsx";
import { Scrubber } from "./scrubber.tsx";

/** Two rollouts side by side, from where they first part. */
export function ComparePage({ left, right }: { readonly left: string; readonly right: string }): JSX.Element {
  const comparison = useResource<Comparison>("/api/compare", { left, right });
  return (
    <Page
      title="Two rollouts"
      parent={{ title: "The run", href: href("runs", [left.slice(0, Math.max(0, left.lastIndexOf(":")))]) }}
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

function Compared({ comparison }: { readonly comparison: Comparison }): JSX.Element {
  const { left, right, divergence } = comparison;
  const last = Math.max(left.trace.length, right.trace.length);
  // They part at a position: that of the step that differs.
  const parting = divergence ? divergence.step + 1 : undefined;
  const at = positionIn(place.value.query["step"], last, Math.min(last, parting ?? 0));
  const move = (to: number) => setQuery({ step: to });
  return (
    <>
      <div class="split compare-sides">
        <Side trace={left} at={at} name="Left" />
        <Side trace={right} at={at} name="Right" />
      </div>
      <Parting divergence={divergence} isHere={at === parting} onGo={() => move(parting ?? 0)} />
      <div class="card trace-scrubber">
        <Scrubber
          traces={[
            { name: "Left", steps: left.trace },
            { name: "Right", steps: right.trace },
          ]}
          at={at}
          mark={parting}
          onMove={move}
        />
      </div>
      <CompareStanding key={at} left={left} right={right} at={at} />
      <CompareSteps left={left} right={right} parting={parting} at={at} onMove={move} />
    </>
  );
}

/** Where they part, in a sentence; the difference itself is shown where one stands, unless it is not seen there. */
function Parting(props: {
  readonly divergence: Comparison["divergence"];
  readonly isHere: boolean;
  readonly onGo: () => void;
}): JSX.Element {
  const { divergence, isHere, onGo } = props;
  if (!divergence)
    return <div class="over">No difference: both saw, did and earned the same from the first step to the last.</div>;
  const { step, what } = divergence;
  const isSeenThere = ["prompt", "tool_call", "message", "observation", "reward"].includes(what);
  return (
    <div class="over">
      <div class="grow stack-tight">
        <span>
          <b>{step <= 0 ? "They part at once." : `The same for ${plural(step, "step")}, then they part.`}</b>{" "}
          {step < 0 ? "Before the first step" : `At step ${step + 1}`}, <DivergenceWord what={what} />.
        </span>
        {!isSeenThere && <DivergenceDiff divergence={divergence} />}
      </div>
      {!isHere && (
        <Button size="small" icon="step" onClick={onGo}>
          Go there
        </Button>
      )}
    </div>
  );
}

function Side(props: { readonly trace: OpenedTrace; readonly at: number; readonly name: string }): JSX.Element {
  const { trace, at, name } = props;
  const step = Math.min(at, trace.trace.length);
  return (
    <Card
      title={
        <>
          <span class="muted">{name}</span> Rollout {count(trace.index)}
        </>
      }
      actions={
        <LinkButton kind="quiet" size="small" href={traceHref(trace.id, step)}>
          Open at step {step}
        </LinkButton>
      }
    >
      <Facts
        facts={[
          ["Reward", <Reward key="reward" value={trace.reward} />],
          [
            "Ended",
            <span key="ended" class="row">
              <ReasonBadge reason={trace.reason} /> after {plural(trace.trace.length, "step")}
            </span>,
          ],
          ["Agent", <AgentName key="agent" agent={trace.agent} model={trace.model} />],
          [
            "Row",
            <span key="row">
              <Text value={trace.rowId} most={80} isFixed />
              {trace.seed !== null && (
                <span class="muted">
                  , seed <Text value={trace.seed} most={40} isFixed />
                </span>
              )}
            </span>,
          ],
          ["Took", <Duration key="took" ms={trace.durationMs} />],
        ]}
      />
    </Card>
  );
}
