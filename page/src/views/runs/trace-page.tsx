import type { JSX } from "preact";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { Button } from "../../components/button.tsx";
import { Card, Page } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Duration, Time } from "../../components/time.tsx";
import { count, plural } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { go, href, pageLocation, setQuery } from "../../router.ts";
import { Reward } from "../episodes/reward.tsx";
import { Messages } from "./messages.tsx";
import { compareHref, isPicked, picks, setPicked } from "./picks.tsx";
import { landmarksOf, positionIn, promptAndRest, stateAt } from "./positions.ts";
import { EndingBadge } from "./endings.tsx";
import { ReplayActions } from "./replay.tsx";
import { AgentName } from "./run-list.tsx";
import { Scrubber } from "./scrubber.tsx";
import { StepView } from "./step-view.tsx";

/** One rollout, step by step. */
export function TracePage({ id }: { readonly id: string }): JSX.Element {
  const trace = useResource("/api/traces/:id", { id });
  const { data } = trace;
  const run = id.slice(0, Math.max(0, id.lastIndexOf(":")));
  const at = positionIn(pageLocation.value.query["step"], data?.trace.length ?? 0, 0);
  return (
    <Page
      title={data ? `Rollout ${count(data.index)}` : "Rollout"}
      aside={
        data && (
          <>
            <EndingBadge reason={data.reason} />
            <span>
              <span class="muted">reward</span> <Reward value={data.reward} />
            </span>
          </>
        )
      }
      parent={{ title: "Run", href: href("runs", [run]) }}
      about={data && <About trace={data} />}
      actions={
        data && (
          <>
            <CompareButton trace={data} />
            <ReplayActions trace={data} at={at} />
          </>
        )
      }
    >
      <Loaded resource={trace} rows={8}>
        {(opened) => <Opened trace={opened} at={at} />}
      </Loaded>
    </Page>
  );
}

function About({ trace }: { readonly trace: TraceDetail }): JSX.Element {
  const { rowId, seed, repetition, agent, model, startedAt, durationMs, usage } = trace;
  return (
    <>
      <Text value={rowId} maxLength={120} isFixed />
      {seed !== null && (
        <>
          , seed <Text value={seed} maxLength={40} isFixed />
        </>
      )}
      {repetition > 0 && `, repetition ${repetition + 1}`}, by <AgentName agent={agent} model={model} />,{" "}
      <Time at={startedAt} />, in <Duration ms={durationMs} />
      {usage.total_tokens > 0 && `, ${count(usage.total_tokens)} tokens`}
    </>
  );
}

/** Selects the rollout for comparison, or compares it with the selected one. */
function CompareButton({ trace }: { readonly trace: TraceDetail }): JSX.Element {
  const other = picks.value.findLast(({ id }) => id !== trace.id);
  if (other)
    return (
      <Button icon="compare" onClick={() => go(compareHref(other.id, trace.id))}>
        Compare with rollout {count(other.index)}
      </Button>
    );
  const isOn = isPicked(trace.id);
  return (
    <Button icon="compare" isPressed={isOn} onClick={() => setPicked(trace, !isOn)}>
      {isOn ? "Selected for comparison" : "Select for comparison"}
    </Button>
  );
}

function Opened({ trace, at }: { readonly trace: TraceDetail; readonly at: number }): JSX.Element {
  const state = stateAt(trace, at);
  const { error, reward } = landmarksOf(trace);
  const last = trace.trace.length;
  const move = (to: number) => setQuery({ step: to === 0 ? undefined : to });
  return (
    <>
      <div class="card trace-scrubber">
        <Scrubber traces={[{ name: "Reward by step", steps: trace.trace }]} at={at} onMove={move}>
          <span class="num">
            {state.step && (
              <>
                <span class="muted">reward</span> <Reward value={state.step.reward} isSigned />
                <span class="muted">, total</span> <Reward value={state.total} />
              </>
            )}
          </span>
          <span class="grow" />
          <div class="row" role="group" aria-label="Go to">
            <Button size="small" isDisabled={reward === 0} onClick={() => move(reward)}>
              First reward
            </Button>
            <Button size="small" isDisabled={error === 0} onClick={() => move(error)}>
              First error
            </Button>
            <Button size="small" isDisabled={at === last} onClick={() => move(last)}>
              End
            </Button>
          </div>
        </Scrubber>
      </div>
      {at === last && <TraceEnding trace={trace} />}
      <StepView state={state} />
      {at === last && <FinalMessages trace={trace} />}
    </>
  );
}

const maxAttempts = 10;

function TraceEnding({ trace }: { readonly trace: TraceDetail }): JSX.Element {
  const { ending, reason, failure, attempts, trace: steps } = trace;
  const tone = failure === null ? "notice" : "problem";
  return (
    <div class={`${tone} trace-ending`} role="status">
      <EndingBadge reason={reason} />
      <span class="grow">
        Ended after {plural(steps.length, "step")}{" "}
        {trace.reward === null ? (
          "without a reward. It is left out of averages."
        ) : (
          <>
            with a total reward of <Reward value={trace.reward} />.
          </>
        )}{" "}
        {failure !== null && <Text value={failure.message} isBlock maxLength={2000} />}
        {attempts.slice(0, maxAttempts).map((attempt) => (
          <span key={attempt.startedAt} class="muted">
            An attempt failed after {plural(attempt.steps, "step")} ({attempt.failure.kind}:{" "}
            <Text value={attempt.failure.message} maxLength={300} />
            ).{" "}
          </span>
        ))}
        {ending.finishReason !== undefined && (
          <>
            Model finish reason: <Text value={ending.finishReason} maxLength={80} isFixed />.
          </>
        )}
      </span>
    </div>
  );
}

function FinalMessages({ trace }: { readonly trace: TraceDetail }): JSX.Element | null {
  const { rest } = promptAndRest(trace);
  if (rest.length === 0) return null;
  return (
    <Card title="Messages after the last step">
      <Messages messages={rest} />
    </Card>
  );
}
