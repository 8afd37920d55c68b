import type { JSX } from "preact";
import type { OpenedTrace } from "../../../../src/desk/contract.ts";
import { segment } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Card, Page } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Duration, Time } from "../../components/time.tsx";
import { count, plural } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { go, href, place, setQuery } from "../../router.ts";
import { Reward } from "../episodes/reward.tsx";
import { Messages } from "./messages.tsx";
import { compareHref, isPicked, picks, setPicked } from "./picks.tsx";
import { landmarksOf, positionIn, promptAndRest, standingAt } from "./positions.ts";
import { ReasonBadge } from "./reasons.tsx";
import { ReplayActions } from "./replay.tsx";
import { AgentName } from "./run-list.tsx";
import { Scrubber } from "./scrubber.tsx";
import { StandingView } from "./standing-view.tsx";

/** One rollout, step by step. */
export function TracePage({ id }: { readonly id: string }): JSX.Element {
  const trace = useResource<OpenedTrace>(`/api/traces/${segment(id)}`);
  const { data } = trace;
  const run = id.slice(0, Math.max(0, id.lastIndexOf(":")));
  const at = positionIn(place.value.query["step"], data?.trace.length ?? 0, 0);
  return (
    <Page
      title={data ? `Rollout ${count(data.index)}` : "Rollout"}
      aside={
        data && (
          <>
            <ReasonBadge reason={data.reason} />
            <span>
              <span class="muted">reward</span> <Reward value={data.reward} />
            </span>
          </>
        )
      }
      parent={{ title: "The run", href: href("runs", [run]) }}
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

function About({ trace }: { readonly trace: OpenedTrace }): JSX.Element {
  const { rowId, seed, repetition, agent, model, startedAt, durationMs, usage } = trace;
  return (
    <>
      <Text value={rowId} most={120} isFixed />
      {seed !== null && (
        <>
          , seed <Text value={seed} most={40} isFixed />
        </>
      )}
      {repetition > 0 && `, try ${repetition + 1}`}, by <AgentName agent={agent} model={model} />,{" "}
      <Time at={startedAt} />, in <Duration ms={durationMs} />
      {usage.total_tokens > 0 && `, ${count(usage.total_tokens)} tokens`}
    </>
  );
}

/** The first press picks it; with another one picked already, it goes to the two of them. */
function CompareButton({ trace }: { readonly trace: OpenedTrace }): JSX.Element {
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
      {isOn ? "Picked to compare" : "Pick to compare"}
    </Button>
  );
}

function Opened({ trace, at }: { readonly trace: OpenedTrace; readonly at: number }): JSX.Element {
  const standing = standingAt(trace, at);
  const { error, reward } = landmarksOf(trace);
  const last = trace.trace.length;
  const move = (to: number) => setQuery({ step: to === 0 ? undefined : to });
  return (
    <>
      <div class="card trace-scrubber">
        <Scrubber traces={[{ name: "Reward by step", steps: trace.trace }]} at={at} onMove={move}>
          <span class="num">
            {standing.step && (
              <>
                <span class="muted">reward</span> <Reward value={standing.step.reward} isSigned />
                <span class="muted">, in all</span> <Reward value={standing.total} />
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
      <StandingView standing={standing} />
      {at === last && <LastWords trace={trace} />}
    </>
  );
}

function TraceEnding({ trace }: { readonly trace: OpenedTrace }): JSX.Element {
  const { ending, reason, trace: steps } = trace;
  const tone = ending.reason === "error" ? "problem" : "over";
  return (
    <div class={`${tone} trace-ending`} role="status">
      <ReasonBadge reason={reason} />
      <span class="grow">
        It ended after {plural(steps.length, "step")} with a total reward of <Reward value={trace.reward} />.{" "}
        {ending.message !== undefined && <Text value={ending.message} isBlock most={2000} />}
        {ending.finishReason !== undefined && (
          <>
            The model said <Text value={ending.finishReason} most={80} isFixed />.
          </>
        )}
      </span>
    </div>
  );
}

function LastWords({ trace }: { readonly trace: OpenedTrace }): JSX.Element | null {
  const { rest } = promptAndRest(trace);
  if (rest.length === 0) return null;
  return (
    <Card title="Said after the last step">
      <Messages messages={rest} />
    </Card>
  );
}
