import type { JSX } from "preact";
import type { OpenedTrace } from "../../../../src/desk/contract.ts";
import { Segmented } from "../../components/field.tsx";
import { Card } from "../../components/page.tsx";
import { place, setQuery } from "../../router.ts";
import { RewardParts } from "../episodes/parts.tsx";
import { Reward } from "../episodes/reward.tsx";
import { Seen } from "../episodes/seen.tsx";
import { Messages } from "./messages.tsx";
import type { Standing } from "./positions.ts";
import { StepCall, StepFaults, StepTimings } from "./step-facts.tsx";
import { TraceApp, useAppTool } from "./trace-app.tsx";

/** What was seen, said, done and earned at one position. */
export function StandingView({ standing }: { readonly standing: Standing }): JSX.Element {
  const { step, observation, messages, position } = standing;
  if (!step)
    return (
      <div class="split">
        <Card title="What the agent sees first">
          <Seen value={observation} label="Observation" />
        </Card>
        <Card title="Prompt">
          <Messages messages={messages} />
        </Card>
      </div>
    );
  return (
    <div class="split split-side trace-standing">
      <div class="stack">
        <SeenAfter step={step} />
        <Card class="trace-said" title="What was said">
          <Messages key={position} messages={messages} />
        </Card>
      </div>
      <div class="stack">
        <Card class="trace-call" title="Call">
          <StepCall call={step.call} />
        </Card>
        <Card class="trace-worth" title="Reward">
          <div class="stack-tight">
            <div class="row trace-reward">
              <span class="figure-value">
                <Reward value={step.reward} isSigned />
              </span>
              <span class="muted">
                in all <Reward value={standing.total} />
              </span>
            </div>
            {step.reward === null && <p class="muted small">The step said nothing about its worth.</p>}
            {step.parts && Object.keys(step.parts).length > 0 && <RewardParts parts={step.parts} />}
            {(step.terminated || step.truncated) && (
              <p class="small">{step.terminated ? "The environment ended here." : "A limit cut it off here."}</p>
            )}
          </div>
        </Card>
        <Card class="trace-time" title="Time">
          <StepTimings step={step} />
        </Card>
        {step.faults.length > 0 && (
          <Card class="trace-faults" title="Faults">
            <StepFaults faults={step.faults} />
          </Card>
        )}
      </div>
    </div>
  );
}

type TraceStep = OpenedTrace["trace"][number];

/** What came of the step: as it is, or in the app of the tool that was called. */
function SeenAfter({ step }: { readonly step: TraceStep }): JSX.Element {
  const tool = useAppTool(step);
  const isApp = tool !== undefined && place.value.query["as"] === "app";
  return (
    <Card
      class="trace-seen"
      title="Observation after the step"
      actions={
        tool && (
          <Segmented
            label="How to show the observation"
            value={isApp ? "app" : ""}
            choices={[
              { value: "", title: "As it is" },
              { value: "app", title: "App" },
            ]}
            onChange={(as) => setQuery({ as })}
          />
        )
      }
    >
      {isApp ? <TraceApp step={step} tool={tool} /> : <Seen value={step.observation} label="Observation" />}
    </Card>
  );
}
