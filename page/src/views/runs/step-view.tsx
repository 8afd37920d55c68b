import type { JSX } from "preact";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { Segmented } from "../../components/field.tsx";
import { Card } from "../../components/page.tsx";
import { pageLocation, setQuery } from "../../router.ts";
import { Text } from "../../components/text.tsx";
import { RewardParts } from "../episodes/reward-parts.tsx";
import { Reward } from "../episodes/reward.tsx";
import { ValueView } from "../episodes/value-view.tsx";
import { Messages } from "./messages.tsx";
import type { StepState } from "./positions.ts";
import { StepCall, StepFaults, StepTimings } from "./step-facts.tsx";
import { TraceApp, useAppTool } from "./trace-app.tsx";

/** The observation, messages, call and reward at one position. */
export function StepView({ state }: { readonly state: StepState }): JSX.Element {
  const { step, observation, messages, position } = state;
  if (!step)
    return (
      <div class="split">
        <Card title="First observation">
          <ValueView value={observation} label="Observation" />
        </Card>
        <Card title="Prompt">
          <Messages messages={messages} />
        </Card>
      </div>
    );
  return (
    <div class="split split-side trace-state">
      <div class="stack">
        <ObservationCard step={step} />
        <Card class="trace-messages" title="Messages">
          <Messages key={position} messages={messages} />
        </Card>
      </div>
      <div class="stack">
        <Card class="trace-call" title="Call">
          <StepCall call={step.call} />
        </Card>
        <Card class="trace-reward-card" title="Reward">
          <div class="stack-tight">
            <div class="row trace-reward">
              <span class="figure-value">
                <Reward value={step.reward} isSigned />
              </span>
              <span class="muted">
                total <Reward value={state.total} />
              </span>
            </div>
            {step.reward === null && <p class="muted small">This step returned no reward.</p>}
            {step.failure && (
              <p class="text-bad small">
                {step.failure.kind}: <Text value={step.failure.message} maxLength={1000} />
              </p>
            )}
            {step.parts && Object.keys(step.parts).length > 0 && <RewardParts parts={step.parts} />}
            {(step.terminated || step.truncated) && (
              <p class="small">
                {step.terminated ? "The environment ended the episode here." : "A limit truncated the episode here."}
              </p>
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

type TraceStep = TraceDetail["trace"][number];

/** The observation after the step, as a value or in the app of the called tool. */
function ObservationCard({ step }: { readonly step: TraceStep }): JSX.Element {
  const tool = useAppTool(step);
  const isApp = tool !== undefined && pageLocation.value.query["as"] === "app";
  return (
    <Card
      class="trace-observation"
      title="Observation after the step"
      actions={
        tool && (
          <Segmented
            label="Observation view"
            value={isApp ? "app" : ""}
            choices={[
              { value: "", title: "Value" },
              { value: "app", title: "App" },
            ]}
            onChange={(as) => setQuery({ as })}
          />
        )
      }
    >
      {isApp ? <TraceApp step={step} tool={tool} /> : <ValueView value={step.observation} label="Observation" />}
    </Card>
  );
}
