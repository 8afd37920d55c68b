import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Card, Page } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { go, href, pageLocation, setQuery } from "../../router.ts";
import { useChanges } from "../episodes/live-list.ts";
import { Reward } from "../episodes/reward.tsx";
import { EndingBadge, PassBadge } from "./endings.tsx";
import { compareHref, isPicked, picks, setPicked } from "./picks.tsx";
import { landmarksOf, positionIn, stateAt } from "./positions.ts";
import { ReplayActions } from "./replay.tsx";
import { AgentName } from "./run-name.tsx";
import { rolloutTitle } from "./rollout-name.tsx";
import { listAddress } from "./rollout-query.ts";
import { Scrubber } from "./scrubber.tsx";
import { StepPanel } from "./step-panel.tsx";
import { TraceAnnotations } from "./trace-annotations.tsx";
import { TraceAppCard } from "./trace-app.tsx";
import { TraceNeighbours } from "./trace-neighbours.tsx";
import { TraceScores } from "./trace-scores.tsx";
import { Transcript } from "./transcript.tsx";
import { TranscriptSearch } from "./transcript-search.tsx";
import { matchesOf, turnsOf } from "./turns.ts";

/** One rollout: its transcript, step by step. One that is being played is followed. */
export function TracePage({ id }: { readonly id: string }): JSX.Element {
  const trace = useResource("/api/traces/:id", { id });
  const { data } = trace;
  const run = id.slice(0, Math.max(0, id.lastIndexOf(":")));
  useChanges(data?.isRunning === true ? "runs" : undefined, run, { reload: trace.reload, everyMs: 1000 });
  const { query } = pageLocation.value;
  const { step } = query;
  const last = data?.trace.length ?? 0;
  const isFollowed = data?.isRunning === true && step === undefined;
  const at = isFollowed ? last : positionIn(step, last, 0);
  return (
    <Page
      title={data ? rolloutTitle(data) : "Rollout"}
      aside={
        data && (
          <>
            {data.isRunning ? (
              <Badge tone="accent" dot>
                running
              </Badge>
            ) : (
              <EndingBadge reason={data.reason} />
            )}
            <PassBadge passed={data.passed} />
            <span>
              <span class="muted">reward</span> <Reward value={data.reward} />
              <span class="muted">
                {" · "}played by <AgentName agent={data.agent} model={data.model} />
              </span>
            </span>
          </>
        )
      }
      parent={{
        title: data?.runTitle.slice(0, 160) ?? "Run",
        href: href("runs", [run], listAddress(query)),
        aside: <TraceNeighbours id={id} run={run} />,
      }}
      actions={
        data && (
          <div class="trace-actions">
            {data.isRunning && (
              <Button
                icon="live"
                isPressed={isFollowed}
                onClick={() => setQuery({ step: isFollowed ? last : undefined })}
              >
                Follow
              </Button>
            )}
            <CompareButton trace={data} />
            <ReplayActions trace={data} at={at} />
          </div>
        )
      }
    >
      <Loaded resource={trace} rows={8}>
        {(opened) => <Opened trace={opened} at={at} onChange={trace.reload} />}
      </Loaded>
    </Page>
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
      {isOn ? "Selected" : "Select"}
      <span class="wide-only"> to compare</span>
    </Button>
  );
}

function Opened(props: {
  readonly trace: TraceDetail;
  readonly at: number;
  readonly onChange: () => void;
}): JSX.Element {
  const { trace, at, onChange } = props;
  const [wanted, setWanted] = useState("");
  const turns = useMemo(() => turnsOf(trace), [trace]);
  const matches = useMemo(() => matchesOf(turns, wanted), [turns, wanted]);
  const state = stateAt(trace, at);
  const { error, reward } = landmarksOf(trace);
  const last = trace.trace.length;
  const move = (to: number) => setQuery({ step: to === 0 && !trace.isRunning ? undefined : to });
  return (
    <>
      <div class="card trace-scrubber">
        <Scrubber
          traces={[{ name: "Reward by step", title: "Reward by step", steps: trace.trace }]}
          at={at}
          onMove={move}
        >
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
      <div class="trace-layout">
        <Card
          title="Transcript"
          class="trace-transcript"
          isFlush
          actions={<TranscriptSearch value={wanted} onInput={setWanted} matches={matches} at={at} onMove={move} />}
        >
          <Transcript trace={trace} turns={turns} at={at} onMove={move} wanted={wanted} />
        </Card>
        <div class="stack trace-side">
          <StepPanel trace={trace} state={state} />
          <TraceAppCard trace={trace} at={at} />
          <TraceScores scores={trace.scores} />
          <TraceAnnotations trace={trace} at={at} onMove={move} onChange={onChange} />
        </div>
      </div>
    </>
  );
}
