import type { JSX } from "preact";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { Card, Facts } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { Duration, Time } from "../../components/time.tsx";
import { count, dollars } from "../../format.ts";
import { RewardParts } from "../episodes/reward-parts.tsx";
import { Reward } from "../episodes/reward.tsx";
import type { StepState } from "./positions.ts";
import { StepFaults, StepTimings } from "./step-facts.tsx";

/** What the transcript does not say about a step: reward, time and faults. Before the first step: the rollout. */
export function StepPanel({ trace, state }: { readonly trace: TraceDetail; readonly state: StepState }): JSX.Element {
  const { step, position, total } = state;
  if (!step) return <RolloutFacts trace={trace} />;
  return (
    <Card title={`Step ${position}`} class="trace-step">
      <div class="stack">
        <div class="stack-tight">
          <div class="row trace-reward">
            <span class="figure-value">
              <Reward value={step.reward} isSigned />
            </span>
            <span class="muted">
              reward, total <Reward value={total} />
            </span>
          </div>
          {step.reward === null && <p class="muted small">This step returned no reward.</p>}
          {step.parts && Object.keys(step.parts).length > 0 && <RewardParts parts={step.parts} />}
          {(step.terminated || step.truncated) && (
            <p class="small">
              {step.terminated ? "The environment ended the episode here." : "A limit truncated the episode here."}
            </p>
          )}
        </div>
        <StepTimings step={step} />
        {step.faults.length > 0 && <StepFaults faults={step.faults} />}
      </div>
    </Card>
  );
}

function RolloutFacts({ trace }: { readonly trace: TraceDetail }): JSX.Element {
  const { seed, repetition, startedAt, durationMs, usage, cost, isRunning } = trace;
  const facts: [string, JSX.Element | string][] = [
    ["Steps", count(trace.trace.length)],
    ["Started", <Time key="started" at={startedAt} />],
  ];
  if (seed !== null) facts.unshift(["Seed", <Text key="seed" value={seed} maxLength={80} />]);
  if (repetition > 0) facts.unshift(["Repetition", String(repetition + 1)]);
  if (!isRunning) facts.push(["Duration", <Duration key="duration" ms={durationMs} />]);
  if (usage.total_tokens > 0)
    facts.push(["Tokens", `${count(usage.prompt_tokens)} in, ${count(usage.completion_tokens)} out`]);
  if (cost !== null) facts.push(["Cost", dollars(cost)]);
  return (
    <Card title="Rollout">
      <Facts facts={facts} />
    </Card>
  );
}
